import { type Events, shortClientId } from '../../../events/events.port.ts';
import { isJsonObject } from '../../../kit/json.ts';
import { Latch } from '../../../kit/latch.ts';
import { TokenBucket } from '../../../kit/token-bucket.ts';
import type { Refusals } from '../../../observability/refusals.ts';
import { parse } from './messages.ts';
import { MAX_TEXT_LENGTH } from './presence.ts';
import { EventMessage } from './report-messages.ts';

/** Maximum number of missions to follow per robot; the oldest is dropped first. */
const MAX_MISSIONS = 100;
/** Events to publish in a burst, and per second after that. */
const RATE = { burst: 100, perSecond: 20 } as const;
/** Interval at which the progress of a mission is published. */
const PROGRESS_MS = 1_000;

const VERBS = {
  mission_started: 'started',
  mission_progressed: 'progressed',
  mission_finished: 'finished',
  mission_cancelled: 'cancelled',
  mission_failed: 'failed',
} as const;

interface Mission {
  readonly skills: string[];
  readonly client: string | null;
  readonly over: Latch;
  progressAt: number;
}

interface Parts {
  readonly robotId: string;
  readonly events: Events;
  readonly refusals?: Refusals | undefined;
}

/** Publishes a robot's mission events on the topic `missions`, and tracks the active missions. */
export class MissionEvents {
  readonly #parts: Parts;
  /** In order of their start. */
  readonly #underWay = new Map<string, Mission>();
  readonly #bucket = new TokenBucket(RATE);
  #lastSeq: number | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  take(payload: Buffer): void {
    const json = parse(payload);
    const event = EventMessage.safeParse(json).data;
    if (!event) {
      const isNewer = isJsonObject(json) && typeof json.event === 'string' && !Object.hasOwn(VERBS, json.event);
      if (!isNewer) this.#note('Ignored an invalid event from a robot (docs/mqtt.schema.json)');
      return;
    }
    if (event.seq === this.#lastSeq) return;
    if (this.#lastSeq !== undefined && event.seq > this.#lastSeq + 1) this.#note('Events from a robot were lost');
    this.#lastSeq = event.seq;
    if (this.#bucket.take()) this.#tell(event);
    else this.#note('Ignored events from a robot that exceed the rate limit');
  }

  /** Ids of the active missions. */
  get underWay(): readonly string[] {
    return [...this.#underWay.keys()];
  }

  /** Resolves when this mission has ended. Rejects with the signal's reason. */
  async whenOver(id: string, signal: AbortSignal): Promise<void> {
    await this.#underWay.get(id)?.over.wait(signal);
  }

  /** Gives up the active missions, because no more reports will arrive. */
  lose(): void {
    this.#lastSeq = undefined;
    for (const id of this.underWay) this.giveUp(id);
  }

  #tell(event: EventMessage): void {
    const { mission: id, skills, client_id } = event;
    const known = this.#underWay.get(id);
    const mission = known ?? {
      skills: (skills ?? []).map((name) => name.slice(0, MAX_TEXT_LENGTH)),
      client: client_id === undefined ? null : shortClientId(client_id),
      over: new Latch(),
      progressAt: Number.NEGATIVE_INFINITY,
    };
    if (event.event === 'mission_progressed') {
      const now = performance.now();
      if (now - mission.progressAt < PROGRESS_MS) return;
      mission.progressAt = now;
    }
    const verb = VERBS[event.event];
    if (verb === 'started' || verb === 'progressed') this.#follow(id, mission);
    else this.#end(id);
    const { skills: names, client } = mission;
    const more = {
      ...('progress' in event ? { progress: event.progress } : {}),
      ...('message' in event && event.message !== undefined
        ? { message: event.message.slice(0, MAX_TEXT_LENGTH) }
        : {}),
    };
    this.#parts.events.publish('missions', verb, { id, skills: names, client, ...more }, { subject: id });
  }

  #follow(id: string, mission: Mission): void {
    const [oldest] = this.#underWay.keys();
    if (!this.#underWay.has(id) && this.#underWay.size >= MAX_MISSIONS && oldest !== undefined) this.giveUp(oldest);
    this.#underWay.set(id, mission);
  }

  #end(id: string): void {
    const mission = this.#underWay.get(id);
    this.#underWay.delete(id);
    mission?.over.open();
  }

  /** Ends all waits without publishing anything. */
  close(): void {
    for (const id of this.underWay) this.#end(id);
  }

  /** Ends a mission whose outcome the robot has not reported. */
  giveUp(id: string): void {
    const mission = this.#underWay.get(id);
    if (!mission) return;
    const { skills, client } = mission;
    this.#end(id);
    const message = 'The robot did not report how this mission ended.';
    this.#parts.events.publish('missions', 'failed', { id, skills, client, message }, { subject: id });
  }

  #note(what: string): void {
    this.#parts.refusals?.note('robot_reports', what, { robot: this.#parts.robotId });
  }
}
