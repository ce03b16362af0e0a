import { Mission } from './mission.ts';
import type { Plan } from './skills.ts';

export type CallResult = { readonly called: boolean; readonly msg: string };
export type StartResult = { readonly started: boolean; readonly msg: string };
export type WaitResult = { readonly awaited: boolean; readonly start_result: StartResult; readonly msg: string };
/** Who waits; the signal aborts when they no longer do. It is looked at only when there is something to wait for. */
export type Waiting = { readonly signal: AbortSignal };
export type CancelResult = { readonly cancelled: boolean; readonly msg: string };

/** Most missions under way at once, of all clients; more are not called. */
export const MOST_UNDER_WAY = 1000;
/** Most missions that are over and remembered; the oldest is forgotten first. */
export const MOST_REMEMBERED = 1000;

const NOT_FOUND = 'Mission not found';
const CANCELLED = 'Mission cancelled';

/**
 * The missions of every client. One that is over is remembered until somebody has waited for it once more, so that a
 * client that was cut off still learns how it ended.
 */
export class Missions {
  readonly #underWay = new Map<string, Mission>();
  readonly #remembered = new Map<string, Mission>();

  /** Calls a mission; `msg` is its id, or why it was not called. */
  call(clientId: string, plan: Plan): CallResult {
    if ('refused' in plan) return { called: false, msg: plan.refused };
    if (this.#underWay.size >= MOST_UNDER_WAY) return { called: false, msg: 'Too many missions are under way' };
    const mission = new Mission(clientId, plan, (ended) => this.#remember(ended));
    this.#underWay.set(mission.id, mission);
    return { called: true, msg: mission.id };
  }

  /** Whether it has started, as soon as that is known. Does not use up the one late wait of a mission that is over. */
  waitForStart(id: string, waiting: Waiting): StartResult | Promise<StartResult> {
    const mission = this.#underWay.get(id) ?? this.#remembered.get(id);
    if (!mission) return { started: false, msg: NOT_FOUND };
    if (mission.begun.passed) return startOf(mission);
    return mission.begun.wait(waiting.signal).then(() => startOf(mission));
  }

  /** How it ended, as soon as that is known. */
  waitForEnd(id: string, waiting: Waiting): WaitResult | Promise<WaitResult> {
    const mission = this.#underWay.get(id);
    if (mission) return mission.over.wait(waiting.signal).then(() => endOf(mission));
    const ended = this.#remembered.get(id);
    this.#remembered.delete(id);
    if (ended) return endOf(ended);
    return { awaited: false, start_result: { started: false, msg: NOT_FOUND }, msg: NOT_FOUND };
  }

  cancel(id: string): CancelResult {
    const mission = this.#underWay.get(id);
    if (!mission) return { cancelled: false, msg: NOT_FOUND };
    mission.cancel();
    return { cancelled: true, msg: CANCELLED };
  }

  /** Cancels those of one client, or all of them; how many there were. */
  cancelAll(clientId?: string): number {
    const chosen = [...this.#underWay.values()].filter(
      (mission) => clientId === undefined || mission.clientId === clientId,
    );
    for (const mission of chosen) mission.cancel();
    return chosen.length;
  }

  /** Whether one that is running can be heard. */
  audible(): boolean {
    return [...this.#underWay.values()].some((mission) => mission.running && mission.noisy);
  }

  /** Sends everybody who waits away with an error; the missions go on. */
  dismissWaiters(error: unknown): void {
    for (const { begun, over } of this.#underWay.values()) {
      begun.dismiss(error);
      over.dismiss(error);
    }
  }

  #remember(mission: Mission): void {
    this.#underWay.delete(mission.id);
    this.#remembered.set(mission.id, mission);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MOST_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
  }
}

function startOf(mission: Mission): StartResult {
  return mission.hasStarted ? { started: true, msg: 'Mission started' } : { started: false, msg: CANCELLED };
}

function endOf(mission: Mission): WaitResult {
  const { finished } = mission;
  return { awaited: finished, start_result: startOf(mission), msg: finished ? 'Mission finished' : CANCELLED };
}
