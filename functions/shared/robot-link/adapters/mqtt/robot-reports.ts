import type { JointsChanged, ReportedState } from '../../../events/data.schema.ts';
import type { Events } from '../../../events/events.port.ts';
import { TokenBucket } from '../../../kit/token-bucket.ts';
import type { Refusals } from '../../../observability/refusals.ts';
import type { Message } from '../broker/message.ts';
import { MissionEvents } from './mission-events.ts';
import { Pace } from './pace.ts';
import { MAX_REPORT_BYTES, readJoints, readState, type StateReport } from './report-messages.ts';
import { MAX_REPORT_AGE_MS, ReportedEmergencyStop } from './reported-emergency-stop.ts';
import { type ReportBranch, topicsOf } from './topics.ts';

/** Maximum number of states, and of joints, handled per second; above that only the latest counts. */
const READ_RATE = { burst: 2, perSecond: 20 } as const;
/** Limit for the reports of one robot; a long report counts several times. */
const FLOOD_RATE = { burst: 2_000, perSecond: 400 } as const;
const FLOOD_BYTES = 4 * 1024;
/** How long the reports of a robot that exceeds the limit are ignored. */
const PAUSE_MS = 10_000;

interface Parts {
  readonly robotId: string;
  readonly events: Events;
  readonly refusals?: Refusals | undefined;
  /** Subscribes to the reports of the robot, or unsubscribes. */
  readonly listen: (listening: boolean) => void;
}

interface Dated<T> {
  readonly value: T;
  /** As returned by `performance.now()`. */
  readonly at: number;
}

/** The reports of one robot on its topics `state`, `joints` and `events`. */
export class RobotReports {
  readonly emergencyStop: ReportedEmergencyStop;
  readonly missions: MissionEvents;
  readonly #parts: Parts;
  readonly #flood = new TokenBucket(FLOOD_RATE);
  readonly #statePace = new Pace({ ...READ_RATE, take: (message) => this.#takeState(message) });
  readonly #jointsPace = new Pace({ ...READ_RATE, take: (message) => this.#takeJoints(message) });
  #state: Dated<StateReport> | undefined;
  #joints: Dated<JointsChanged> | undefined;
  #pause: NodeJS.Timeout | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.emergencyStop = new ReportedEmergencyStop(topicsOf(parts.robotId).state);
    this.missions = new MissionEvents(parts);
  }

  /** Whether the topics are to be subscribed to. */
  get listening(): boolean {
    return this.#pause === undefined;
  }

  take(branch: ReportBranch, message: Message): void {
    if (this.#pause) return; // it was already in transit
    const { length } = message.payload;
    if (!this.#flood.take(1 + length / FLOOD_BYTES)) this.#pauseListening();
    else if (length > MAX_REPORT_BYTES[branch]) this.#note('Ignored a report that is too large', { bytes: length });
    else if (branch === 'state') this.#statePace.offer(message);
    else if (branch === 'joints') this.#jointsPace.offer(message);
    else this.missions.take(message.payload);
  }

  /** Undefined if the last report is too old. */
  get state(): ReportedState | undefined {
    return fresh(this.#state)?.state;
  }

  get joints(): JointsChanged | undefined {
    return fresh(this.#joints);
  }

  /** Problems with the last state, in sentences. */
  get faults(): readonly string[] {
    return (fresh(this.#state)?.faults ?? []).map(
      (fault) => `A member of its state is ignored because it is invalid: ${fault}`,
    );
  }

  /** Called when the robot is unreachable or another program has taken its place. */
  forget(): void {
    this.#statePace.clear();
    this.#jointsPace.clear();
    this.#state = undefined;
    this.#joints = undefined;
    this.emergencyStop.lose();
    this.missions.lose();
  }

  /** Stops without publishing anything: the missions continue. */
  close(): void {
    this.missions.close();
    this.forget();
    clearTimeout(this.#pause);
  }

  #takeState({ payload }: Message): void {
    const value = readState(payload);
    if (!value) {
      this.#note('Ignored an invalid state message (docs/mqtt.schema.json)');
      return;
    }
    this.#state = { value, at: performance.now() };
    this.emergencyStop.report(value.estop ?? 'unknown');
  }

  #takeJoints({ payload }: Message): void {
    const value = readJoints(payload);
    if (value) this.#joints = { value, at: performance.now() };
    else this.#note('Ignored an invalid joints message (docs/mqtt.schema.json)');
  }

  /** Just reading so many reports would slow down everything else. */
  #pauseListening(): void {
    this.#note(`A robot reports too much; ignoring its reports for ${PAUSE_MS / 1000} s`);
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.#parts.listen(true);
    }, PAUSE_MS).unref();
    this.#parts.listen(false);
  }

  #note(what: string, facts: Readonly<Record<string, number>> = {}): void {
    this.#parts.refusals?.note('robot_reports', what, { robot: this.#parts.robotId, ...facts });
  }
}

function fresh<T>(dated: Dated<T> | undefined): T | undefined {
  return dated && performance.now() - dated.at <= MAX_REPORT_AGE_MS ? dated.value : undefined;
}
