import type { Sender } from '../../port.ts';
import { CANCELLED, MissionBook, NOT_FOUND } from '../mission-book.ts';
import type { Body, Pose } from './body.ts';
import { Drive } from './drive.ts';
import { Mission } from './mission.ts';
import type { Plan } from './skills.ts';

type CallResult = { readonly called: boolean; readonly msg: string };
type CancelResult = { readonly cancelled: boolean; readonly msg: string };

/** The missions of every client of the simulated robot; a drive of its base is one too. */
export class Missions extends MissionBook<Mission | Drive> {
  #drive: Drive | undefined;

  constructor() {
    super('missions');
  }

  /** Drives to a pose, in place of the drive under way. @throws ServiceError `busy`, when the key has its share. */
  driveTo(
    target: Pose,
    body: Body,
    { clientId, keyId }: Sender,
  ): { readonly drive: Drive; readonly replaced: boolean } {
    const before = this.drive();
    const drive = this.begin(keyId, () => new Drive(clientId, body, (ended) => this.remember(ended)));
    before?.cancel();
    body.goTo(target);
    this.#drive = drive;
    drive.look();
    return { drive, replaced: before !== undefined };
  }

  /** The drive that is under way. */
  drive(): Drive | undefined {
    this.#drive?.look();
    return this.#drive?.over.isOpen ? undefined : this.#drive;
  }

  /**
   * Calls a mission; `msg` is its id, or why it was not called. @throws ServiceError `busy`, when the key has its
   * share.
   */
  call({ clientId, keyId }: Sender, plan: Plan): CallResult {
    if ('refused' in plan) return { called: false, msg: plan.refused };
    const mission = this.begin(keyId, () => new Mission(clientId, plan, (ended) => this.remember(ended)));
    return { called: true, msg: mission.id };
  }

  cancel(id: string): CancelResult {
    const mission = this.find(id);
    if (!mission) return { cancelled: false, msg: NOT_FOUND };
    mission.cancel();
    return { cancelled: true, msg: CANCELLED };
  }

  /** Cancels those of one client, or all of them; how many there were. */
  cancelAll(clientId?: string): number {
    const chosen = this.underWay().filter((mission) => clientId === undefined || mission.clientId === clientId);
    for (const mission of chosen) mission.cancel();
    return chosen.length;
  }

  /** Whether one that is running can be heard. */
  audible(): boolean {
    return this.underWay().some((mission) => mission.running && mission.noisy);
  }

  /** The skills that are carried out now. */
  currentSteps(): Array<{ readonly name: string; readonly seconds: number }> {
    return this.underWay().flatMap((mission) => ('currentStep' in mission ? (mission.currentStep() ?? []) : []));
  }

  /** Ends every wait with an error; the missions go on. */
  rejectWaiting(error: unknown): void {
    for (const { begun, over } of this.underWay()) {
      begun.rejectWaiting(error);
      over.rejectWaiting(error);
    }
  }
}
