import type { MissionChanged } from '../../functions/shared/events/data.schema.ts';
import type { HubEvent } from '../../functions/shared/events/hub-event.ts';
import type { Logger } from '../../functions/shared/observability/logger.ts';
import type { Broker } from '../../functions/shared/robot-link/adapters/broker/broker.ts';
import type { EventMessage } from '../../functions/shared/robot-link/adapters/mqtt/report-messages.ts';
import type { topicsOf } from '../../functions/shared/robot-link/adapters/mqtt/topics.ts';
import type { RobotLink } from '../../functions/shared/robot-link/port.ts';

/** How often state and joints are compared with what was published last. */
const SAMPLE_MS = 100;
/** How often they are repeated if nothing changes, because receivers ignore old reports. */
const REPEAT_MS = 1_000;

/** The source of mission events. */
export interface MissionSource {
  /** @returns a function that ends the observation. */
  observe(topic: 'missions', listener: (event: HubEvent) => void): () => void;
}

interface Parts {
  readonly broker: () => Pick<Broker, 'publish' | 'backlog'>;
  /** Whether the robot has joined the broker. */
  readonly joined: () => boolean;
  readonly topics: Pick<ReturnType<typeof topicsOf>, 'state' | 'joints' | 'events'>;
  readonly robotLink: RobotLink;
  /** Absent: mission events are not published. */
  readonly missions?: MissionSource | undefined;
  readonly logger: Logger;
}

interface Published {
  readonly text: string;
  readonly at: number;
}

/** Publishes the reports of this service's robot. Reports that cannot be sent immediately are dropped. */
export class ReportPublisher {
  readonly #parts: Parts;
  readonly #timer: NodeJS.Timeout;
  readonly #stopObserving: (() => void) | undefined;
  readonly #published: { state?: Published; joints?: Published } = {};
  #seq = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS).unref();
    this.#stopObserving = parts.missions?.observe('missions', (event) => this.#publishMission(event));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#stopObserving?.();
  }

  #sample(): void {
    const { robotLink } = this.#parts;
    const state = robotLink.state?.();
    const estop = robotLink.emergencyStop?.()?.state;
    const told = estop === undefined || estop === 'unknown' ? state : { ...state, estop };
    if (told) this.#publishIfDue('state', told);
    const joints = robotLink.joints?.();
    if (joints) this.#publishIfDue('joints', joints);
  }

  #publishIfDue(branch: 'state' | 'joints', report: object): void {
    const { joined, broker } = this.#parts;
    if (!joined() || broker().backlog > 0) return;
    const text = JSON.stringify({ v: 1, ...report });
    const now = performance.now();
    const last = this.#published[branch];
    if (text === last?.text && now - last.at < REPEAT_MS) return;
    this.#published[branch] = { text, at: now };
    this.#publish(branch, text);
  }

  #publishMission({ type, data }: HubEvent): void {
    const { id, skills, client, progress = 0, message } = data as MissionChanged; // as: of the topic `missions`
    this.#seq += 1;
    const mission = {
      v: 1,
      seq: this.#seq,
      mission: id,
      skills,
      ...(client === null ? {} : { client_id: client }),
    } as const;
    const why = message === undefined ? {} : { message };
    const events: Readonly<Record<string, EventMessage>> = {
      started: { event: 'mission_started', ...mission },
      progressed: { event: 'mission_progressed', ...mission, progress },
      finished: { event: 'mission_finished', ...mission },
      cancelled: { event: 'mission_cancelled', ...mission, ...why },
      failed: { event: 'mission_failed', ...mission, ...why },
    };
    const event = events[type.slice(type.lastIndexOf('.') + 1)];
    if (event && this.#parts.joined()) this.#publish('events', JSON.stringify(event));
  }

  #publish(branch: 'state' | 'joints' | 'events', text: string): void {
    const { broker, topics, logger } = this.#parts;
    try {
      broker().publish(topics[branch], text, {});
    } catch (error) {
      logger.debug({ err: error, branch }, 'could not publish a report of the robot');
    }
  }
}
