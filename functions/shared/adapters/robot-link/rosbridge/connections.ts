import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fence } from '../../../control/fence.ts';
import type { JsonObject } from '../../../json.ts';
import type { Logger } from '../../../logger.ts';
import { Connection } from './connection.ts';

/**
 * A rosbridge server works off the messages of a connection one after another, and may finish a service call or a whole
 * goal before it looks at the next. So there are three connections to it:
 * - `ordinary`: commands.
 * - `urgent`: what stops the robot and what says that it stands; nothing that could block is ever sent on it.
 * - `blocking`: the service calls of a stop, and questions to action servers, which may hang.
 */
export type Lane = 'ordinary' | 'urgent' | 'blocking';

/** How long after its connection was cut a command may still be delivered, by a proxy or a tunnel that had it already. */
const LATE_DELIVERY_MS = 5_000;
const NEVER = new AbortController().signal;
setMaxListeners(0, NEVER);

export interface ConnectionsListener {
  opened(connection: Connection, lane: Lane): void;
  received(message: JsonObject, lane: Lane): void;
  /** @param onPurpose {@link Connection.reset} ended it. */
  lost(lane: Lane, onPurpose: boolean): void;
}

/** The connections to one server. Commands need `ordinary` and `urgent`: what could not be stopped is not begun. */
export class Connections {
  readonly ordinary: Connection;
  readonly urgent: Connection;
  readonly blocking: Connection;
  readonly #fence: Fence;
  #inTransit = 0;
  #cutInTransitAt = Number.NEGATIVE_INFINITY;

  constructor(url: string, { logger, fence }: { logger: Logger; fence: Fence }, listener: ConnectionsListener) {
    this.#fence = fence;
    const open = (lane: Lane): Connection =>
      new Connection(url, logger, {
        opened: () => listener.opened(this[lane], lane),
        received: (message) => listener.received(message, lane),
        lost: (onPurpose) => {
          listener.lost(lane, onPurpose);
          // What still stands on its way to the server could no longer be stopped.
          if (lane === 'urgent') this.ordinary.reset();
        },
      });
    this.ordinary = open('ordinary');
    this.urgent = open('urgent');
    this.blocking = open('blocking');
  }

  get connected(): boolean {
    return this.ordinary.connected && this.urgent.connected;
  }

  /** Resolves when the first attempts have ended, either way. */
  async attempted(): Promise<void> {
    await Promise.all([this.ordinary.attempted, this.urgent.attempted, this.blocking.attempted]);
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

  /** Resets the connection of the commands, so that what has not reached the server by now should not reach it at all. */
  cutCommands(): void {
    if (this.#inTransit > 0) this.#cutInTransitAt = performance.now();
    this.ordinary.reset();
  }

  /** Settles when no command can be delivered any more whose connection was cut while it was in transit. */
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
  }
}
