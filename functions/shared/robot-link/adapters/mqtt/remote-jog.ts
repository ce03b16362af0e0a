import { setTimeout as pause } from 'node:timers/promises';
import type { Fence } from '../../../control/fence.ts';
import { ServiceError } from '../../../errors.ts';
import { isJsonObject } from '../../../kit/json.ts';
import type { Jog, JogFrame, RobotAnswer, RobotCommand, SendOptions, Velocity } from '../../port.ts';
import type { Broker } from '../broker/broker.ts';
import type { JogMessage, JogOffer } from './messages.ts';
import { failed } from './outcome.ts';
import type { RobotReports } from './robot-reports.ts';
import { topicsOf } from './topics.ts';

/** Maximum delay to the broker in ms, and maximum number of bytes waiting to leave this process. */
const MAX_WAY_MS = 300;
const MAX_BACKLOG_BYTES = 4 * 1024;
const PING_MS = 100;
/** Time after which the broker drops a message. */
const EXPIRY_SECONDS = 1;
/** How long other motion may take to end, in ms, and how often its cancellation is sent. */
const END_MS = 2_000;
const LOOK_MS = 50;
/** The sender of the cancellation of other missions. */
const SENDER = { clientId: 'jog', accessLevel: 'ADMIN', keyId: 'jog' } as const;

interface Parts {
  readonly robotId: string;
  readonly broker: () => Broker;
  readonly fence: Fence;
  readonly reports: RobotReports;
  /** The jog parameters the robot currently offers; undefined while unknown. */
  readonly offer: () => JogOffer | undefined;
  /** @throws ServiceError when the robot must not be moved. */
  readonly assertMovable: () => void;
  readonly send: (command: RobotCommand, options: SendOptions) => Promise<RobotAnswer>;
  readonly clock: () => number;
  /** Nothing but zero velocity is sent. */
  readonly stopsOnly?: boolean | undefined;
}

/**
 * Jog of a robot behind a broker. A frame is published once, with QoS 0, and only if the broker has responded recently.
 * The robot must still check for frames that were delayed by the network; see "Driving by hand" in docs/mqtt.md.
 */
export class RemoteJog implements Jog {
  readonly #parts: Parts;
  /** Starts above the numbers of earlier runs. */
  #seq: number;
  #sentAt = Number.NEGATIVE_INFINITY;
  #pingedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
    // A zero of the guard is obeyed like any other, and must not make the frames of the service look old.
    this.#seq = parts.stopsOnly ? 0 : parts.clock();
  }

  get watchdogMs(): number {
    return this.#parts.offer()?.watchdog_ms ?? Number.POSITIVE_INFINITY;
  }

  get maxLinear(): number | undefined {
    return this.#parts.offer()?.max_linear;
  }

  get maxAngular(): number | undefined {
    return this.#parts.offer()?.max_angular;
  }

  send({ velocity, validMs, arrivedAt }: JogFrame): void {
    if (isZero(velocity)) {
      this.#publish(velocity, validMs);
      return;
    }
    const { assertMovable, fence } = this.#parts;
    assertMovable();
    this.#assertWayIsClear();
    fence.admit(arrivedAt);
    // After such a silence the stick counts as released, and the robot expects a zero first.
    if (performance.now() - this.#sentAt >= this.watchdogMs) this.#publish(ZERO, validMs);
    this.#publish(velocity, validMs);
  }

  /** Cancels the missions that the robot has reported; if it reports whether it moves, also waits for standstill. */
  makeWay(signal: AbortSignal): Promise<void> | undefined {
    const { reports } = this.#parts;
    if (reports.missions.underWay.length === 0 && reports.state?.moving !== true) return undefined;
    return this.#awaitEnd(signal);
  }

  async #awaitEnd(signal: AbortSignal): Promise<void> {
    const { reports } = this.#parts;
    const limit = AbortSignal.timeout(END_MS);
    const either = AbortSignal.any([signal, limit]);
    try {
      await Promise.all(reports.missions.underWay.map((id) => this.#cancel(id, either)));
      while (reports.state?.moving === true) await pause(LOOK_MS, undefined, { signal: either, ref: false });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw limit.aborted ? notEnded() : error;
    }
  }

  async #cancel(id: string, signal: AbortSignal): Promise<void> {
    const { send, clock, reports } = this.#parts;
    const command = { command: 'cancel_skill', value: id, sender: SENDER };
    // One that cannot be cancelled may end by itself.
    const answer = await send(command, { deadline: clock() + END_MS, signal }).catch(() => undefined);
    if (isJsonObject(answer) && answer.cancelled === false) reports.missions.giveUp(id);
    await reports.missions.whenOver(id, signal);
  }

  /** Frames sent over a stalled connection would move the robot later. Dropping them is fine: the next one comes soon. */
  #assertWayIsClear(): void {
    const { pings, backlog } = this.#parts.broker();
    const now = performance.now();
    if (pings.waitMs > MAX_WAY_MS || backlog > MAX_BACKLOG_BYTES) {
      throw failed('robot_unavailable', 'The MQTT broker is not responding.', 'no');
    }
    if (pings.any || now - this.#pingedAt < PING_MS) return;
    this.#pingedAt = now;
    this.#parts.broker().ping();
  }

  #publish({ vx, vy, wz }: Velocity, validMs: number): void {
    const { broker, robotId, fence } = this.#parts;
    this.#seq += 1;
    const message: JogMessage = { v: 1, fence: fence.read(), seq: this.#seq, vx, vy, wz, valid_ms: validMs };
    try {
      broker().publish(topicsOf(robotId).jog, JSON.stringify(message), { expirySeconds: EXPIRY_SECONDS });
    } catch (error) {
      const why = broker().problem ?? 'The velocity could not be sent.';
      throw Object.assign(failed('robot_unavailable', why, 'no'), { cause: error });
    }
    this.#sentAt = performance.now();
  }
}

const ZERO: Velocity = { vx: 0, vy: 0, wz: 0 };

function isZero({ vx, vy, wz }: Velocity): boolean {
  return vx === 0 && vy === 0 && wz === 0;
}

function notEnded(): ServiceError {
  return new ServiceError('busy', {
    detail: `The previous motion of the robot did not end within ${END_MS / 1000} s of its cancellation. Stop the robot, then drive.`,
    members: { command_ran: 'no' },
  });
}
