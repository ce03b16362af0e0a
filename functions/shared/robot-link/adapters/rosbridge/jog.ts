import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fence } from '../../../control/fence.ts';
import type { JsonObject } from '../../../kit/json.ts';
import type { Jog, JogFrame, Velocity } from '../../port.ts';
import { robotUnavailable } from '../robot-errors.ts';
import { type Connections, LATE_DELIVERY_MS } from './connections.ts';
import type { Drives } from './drives.ts';
import { plainType } from './mapping-parts.schema.ts';
import { NEVER } from './never.ts';
import type { JogTopic } from './report-plan.ts';
import type { Services } from './services.ts';
import type { Topics } from './topics.ts';

/** If a velocity has not reached the server within this time, the link is stalled and no more are sent. */
const HELD_UP_MS = 200;
/** After this time a stalled connection is reset, dropping what is on it. */
const RESET_MS = 1_000;
/** How long a stop waits for the server to process what was sent before it resets the connection. */
const CLEAR_MS = 500;
const BASE_FRAME = 'base_link';

interface JogParts {
  readonly connections: Connections;
  readonly services: Services;
  readonly topics: Topics;
  readonly drives: Drives;
  readonly fence: Fence;
  /** The current time in ms since the epoch. */
  readonly clock: () => number;
  /** @throws ServiceError if motion is not allowed. */
  readonly assertUsable: () => void;
}

/**
 * Drives the base by publishing to a topic. A rosbridge server cannot tell whether a velocity is late, so velocities have
 * their own connection, where nothing can delay them and which can be reset at any time. Velocities that are delayed by a
 * network or proxy are followed by a zero on the same connection, so that they end as soon as they arrive.
 */
export class RosbridgeJog implements Jog {
  readonly watchdogMs: number;
  readonly maxLinear: number | undefined;
  readonly maxAngular: number | undefined;
  readonly #topic: JogTopic;
  readonly #ros: 1 | 2;
  readonly #parts: JogParts;
  /** When each velocity was sent that the server is not known to have received. */
  readonly #inTransit = new Set<{ readonly sentAt: number }>();
  /** How many velocities were sent, and how many of them the server has certainly processed. */
  #sent = 0;
  #lookedAt = 0;
  #cutInTransitAt = Number.NEGATIVE_INFINITY;

  constructor(topic: JogTopic, ros: 1 | 2, parts: JogParts) {
    this.watchdogMs = topic.watchdog_ms;
    this.maxLinear = topic.max_linear;
    this.maxAngular = topic.max_angular;
    this.#topic = topic;
    this.#ros = ros;
    this.#parts = parts;
    for (const lane of ['jog', 'urgent'] as const) parts.topics.advertise(topic.topic, topic.type, lane);
  }

  send({ velocity, arrivedAt }: JogFrame): void {
    if (isZero(velocity)) {
      this.#halt();
      return;
    }
    const { connections, fence, assertUsable } = this.#parts;
    assertUsable();
    // Do not start motion that could not be stopped.
    connections.urgent.requireOpen();
    this.#assertNothingHeldUp();
    const lane = connections.of('jog');
    lane.requireIdle();
    fence.admit(arrivedAt ?? 0);
    lane.sendUrgently(this.#message(velocity));
    this.#sent += 1;
    const frame = { sentAt: performance.now() };
    this.#inTransit.add(frame);
    const settle = () => void this.#inTransit.delete(frame);
    lane.arrived(NEVER).then(settle, settle);
  }

  makeWay(signal: AbortSignal): Promise<void> | undefined {
    return this.#parts.drives.makeWay(signal);
  }

  /**
   * For a stop: resolves when no earlier velocity can reach the robot any more. Rejects with the signal's reason.
   */
  async clear(signal: AbortSignal): Promise<void> {
    const { connections, services } = this.#parts;
    if (this.#sent > this.#lookedAt && connections.of('jog').connected) {
      const upTo = this.#sent;
      this.#haltOn('jog');
      const lookedAt = services.roundTrip('jog', signal).then(
        () => true,
        () => false,
      );
      if (await Promise.race([lookedAt, sleep(CLEAR_MS, false, { ref: false })])) this.#lookedAt = upTo;
      else this.#cut();
    }
    const leftMs = this.#cutInTransitAt + LATE_DELIVERY_MS - performance.now();
    if (leftMs > 0) await sleep(leftMs, undefined, { signal, ref: false });
  }

  /** The connection of the velocities was lost. */
  lost(): void {
    if (this.#inTransit.size > 0) this.#cutInTransitAt = performance.now();
    if (this.#sent > this.#lookedAt) this.#haltOn('urgent');
    this.#lookedAt = this.#sent;
  }

  /** The connection of the stops was lost. */
  lostUrgent(): void {
    if (this.#sent > this.#lookedAt) this.#haltOn('jog');
  }

  /** @throws ServiceError `robot_unavailable` */
  #assertNothingHeldUp(): void {
    const [oldest] = this.#inTransit;
    const ms = oldest ? performance.now() - oldest.sentAt : 0;
    if (ms <= HELD_UP_MS) return;
    this.#haltOn('jog');
    this.#haltOn('urgent');
    if (ms > RESET_MS) this.#cut();
    throw robotUnavailable('The link to the robot is currently too slow; the velocity was not sent.');
  }

  /** Sends zero on both connections: after all velocities on their own, and ahead of them on that of the stops. */
  #halt(): void {
    const sent = [this.#haltOn('urgent'), this.#haltOn('jog')];
    if (!sent.includes(true)) this.#parts.connections.urgent.requireOpen();
  }

  /** @returns whether it was sent. */
  #haltOn(lane: 'urgent' | 'jog'): boolean {
    const connection = this.#parts.connections.of(lane);
    if (!connection.connected) return false;
    connection.sendUrgently(this.#message({ vx: 0, vy: 0, wz: 0 }));
    return true;
  }

  #cut(): void {
    if (this.#inTransit.size > 0) this.#cutInTransitAt = performance.now();
    this.#parts.connections.of('jog').reset();
  }

  #message({ vx, vy, wz }: Velocity): JsonObject {
    const twist = { linear: { x: vx, y: vy, z: 0 }, angular: { x: 0, y: 0, z: wz } };
    const { topic, type, frame_id = BASE_FRAME } = this.#topic;
    if (plainType(type) === 'geometry_msgs/Twist') return { op: 'publish', topic, msg: twist };
    const header = { stamp: this.#stamp(), frame_id };
    return { op: 'publish', topic, msg: { header, twist } };
  }

  /** The current time, so that the robot can tell how old a velocity is. */
  #stamp(): JsonObject {
    const now = this.#parts.clock();
    const seconds = Math.floor(now / 1000);
    const nanoseconds = Math.round((now - seconds * 1000) * 1e6);
    return this.#ros === 1 ? { secs: seconds, nsecs: nanoseconds } : { sec: seconds, nanosec: nanoseconds };
  }
}

function isZero({ vx, vy, wz }: Velocity): boolean {
  return vx === 0 && vy === 0 && wz === 0;
}
