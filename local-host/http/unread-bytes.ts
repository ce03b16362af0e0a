import type { Socket } from 'node:net';

/** Turns of the event loop after which an idle connection has certainly been read. */
const READING_TURNS = 3;

/**
 * Connections on which bytes may wait that were sent before a stop of another process. Node does not read on while
 * requests of a connection pend, so those that pended then, or began soon after, count until they were seen idle.
 */
export class UnreadBytes {
  readonly #sockets = new WeakSet<Socket>();
  readonly #isPending: (socket: Socket) => boolean;
  #holding = false;

  /** @param isPending whether a request of the connection is unanswered. */
  constructor(isPending: (socket: Socket) => boolean) {
    this.#isPending = isPending;
  }

  /** From now until {@link letGo} each request that begins may be older than it seems; so may what follows it. */
  holdBack(pending: Iterable<Socket>): void {
    this.#holding = true;
    for (const socket of pending) this.#sockets.add(socket);
  }

  letGo(): void {
    this.#holding = false;
  }

  /** Whether a request that begins on this connection may have been sent before the stop. */
  mayBeOld(socket: Socket): boolean {
    if (this.#holding) this.#sockets.add(socket);
    return this.#sockets.has(socket);
  }

  /** The last request of the connection was answered. */
  idle(socket: Socket, turns = READING_TURNS): void {
    if (!this.#sockets.has(socket) || this.#isPending(socket)) return;
    if (turns > 0) setImmediate(() => this.idle(socket, turns - 1));
    else if (!this.#holding) this.#sockets.delete(socket);
  }
}
