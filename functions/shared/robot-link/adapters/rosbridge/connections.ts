import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fence } from '../../../control/fence.ts';
import type { JsonObject } from '../../../kit/json.ts';
import type { LinkWorld } from '../link-world.ts';
import { Connection } from './connection.ts';
import { NEVER } from './never.ts';

/**
 * A rosbridge server processes the messages of a connection one after another, and may finish a service call or a whole
 * goal before it reads the next. So there are several connections:
 * - `ordinary`: commands.
 * - `urgent`: stops, and reports of standstill; nothing that could block is ever sent on it.
 * - `blocking`: service calls of a stop and probes of action servers, which may hang.
 * - `jog`: velocities of manual driving, if the robot supports it.
 */
export type Lane = 'ordinary' | 'urgent' | 'blocking' | 'jog';

/** How long a proxy or tunnel may still deliver a command after the connection was reset. */
export const LATE_DELIVERY_MS = 5_000;

interface ConnectionsListener {
  opened(connection: Connection, lane: Lane): void;
  received(message: JsonObject, lane: Lane): void;
  /** @param onPurpose {@link Connection.reset} or `close` ended it. */
  lost(lane: Lane, onPurpose: boolean): void;
}

interface ConnectionsWorld extends Pick<LinkWorld, 'logger' | 'refusals'> {
  readonly fence: Fence;
  /** Whether the robot can be driven manually. */
  readonly withJog?: boolean;
}

/** The connections to one server. Commands need both `ordinary` and `urgent`, so that they can be stopped. */
export class Connections {
  readonly ordinary: Connection;
  readonly urgent: Connection;
  readonly blocking: Connection;
  readonly #jog: Connection | undefined;
  readonly #fence: Fence;
  #inTransit = 0;
  #cutInTransitAt = Number.NEGATIVE_INFINITY;

  constructor(
    url: string,
    { logger, fence, refusals, withJog = false }: ConnectionsWorld,
    listener: ConnectionsListener,
  ) {
    this.#fence = fence;
    const open = (lane: Lane): Connection =>
      new Connection(
        url,
        logger,
        {
          opened: () => listener.opened(this.of(lane), lane),
          received: (message) => listener.received(message, lane),
          lost: (onPurpose) => {
            listener.lost(lane, onPurpose);
            // Commands still on their way to the server could no longer be stopped.
            if (lane === 'urgent') this.ordinary.reset();
          },
        },
        refusals,
      );
    this.ordinary = open('ordinary');
    this.urgent = open('urgent');
    this.blocking = open('blocking');
    this.#jog = withJog ? open('jog') : undefined;
  }

  get connected(): boolean {
    return this.ordinary.connected && this.urgent.connected;
  }

  /** Returns a connection. @throws Error for `jog` if there is none. */
  of(lane: Lane): Connection {
    if (lane !== 'jog') return this[lane];
    if (!this.#jog) throw new Error('the mapping has no jog');
    return this.#jog;
  }

  /** Resolves when the first attempts have ended, either way. */
  async attempted(): Promise<void> {
    await Promise.all([this.ordinary, this.urgent, this.blocking, this.#jog].map((each) => each?.attempted));
  }

  /** @throws ServiceError `robot_unavailable` while commands cannot be sent. */
  requireOpen(): void {
    this.ordinary.requireOpen();
    this.urgent.requireOpen();
  }

  /**
   * Sends a message that carries out a command, unless a stop has come since it arrived.
   * @param arrivedAt absent: it moves nothing, and no stop holds it back.
   * @throws ServiceError `robot_unavailable`, or what {@link Fence.admit} throws.
   */
  sendCommand(message: JsonObject, arrivedAt: number | undefined): void {
    this.requireOpen();
    this.#fence.admit(arrivedAt);
    this.ordinary.send(message);
    if (arrivedAt !== undefined) this.#trackArrival();
  }

  /**
   * Resets the connection of the commands, so that what has not reached the server by now should not reach it at all.
   */
  cutCommands(): void {
    if (this.#inTransit > 0) this.#cutInTransitAt = performance.now();
    this.ordinary.reset();
  }

  /** Resolves when commands that were in transit on a reset connection can no longer be delivered. */
  async lateCommandsGone(signal: AbortSignal): Promise<void> {
    const leftMs = this.#cutInTransitAt + LATE_DELIVERY_MS - performance.now();
    if (leftMs > 0) await sleep(leftMs, undefined, { signal, ref: false });
  }

  #trackArrival(): void {
    this.#inTransit += 1;
    const settle = () => {
      this.#inTransit -= 1;
    };
    this.ordinary.arrived(NEVER).then(settle, settle);
  }

  close(): void {
    this.ordinary.close();
    this.urgent.close();
    this.blocking.close();
    this.#jog?.close();
  }
}
