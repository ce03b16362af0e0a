import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError, unavailable } from '../functions/shared/errors.ts';

/** Routes that are answered while the service ends: the robot must still be stoppable, and probes must see it end. */
const ALWAYS_ADMITTED = new Set(['POST /api/{version}/stop', 'GET /health/live', 'GET /health/ready']);

export interface Flight {
  /** Aborts when the client hangs up or the service ends. */
  readonly signal: AbortSignal;
}

/** Every request that is being answered. Knows who hung up, and ends what still runs when the service ends. */
export class InFlight {
  readonly #flights = new Set<AbortController>();
  readonly #endings = new WeakMap<Socket, Set<() => void>>();
  readonly #answering = new Map<Socket, ServerResponse>();
  #draining = false;
  #onEmpty: (() => void) | undefined;

  get draining(): boolean {
    return this.#draining;
  }

  get size(): number {
    return this.#flights.size;
  }

  begin(request: IncomingMessage, response: ServerResponse): Flight {
    const controller = new AbortController();
    const { socket } = request;
    const onSocketClose = this.#endingsOf(socket);
    const end = () => {
      if (!this.#flights.delete(controller)) return;
      onSocketClose.delete(end);
      if (this.#answering.get(socket) === response) this.#answering.delete(socket);
      if (!response.writableFinished) controller.abort(hungUp());
      if (this.#flights.size === 0) this.#onEmpty?.();
    };
    this.#flights.add(controller);
    this.#answering.set(socket, response);
    onSocketClose.add(end);
    response.once('close', end);
    return { signal: controller.signal };
  }

  /** What to do when a connection is lost: an answer that waits behind others on it has no socket and hears nothing. */
  #endingsOf(socket: Socket): Set<() => void> {
    let endings = this.#endings.get(socket);
    if (!endings) {
      const all = new Set<() => void>();
      this.#endings.set(socket, all);
      socket.once('close', () => {
        for (const end of all) end();
      });
      endings = all;
    }
    return endings;
  }

  /** @throws ServiceError `component_unavailable` when the service is ending and the route is not one that must go on. */
  admit(routeKey: string): void {
    if (this.#draining && !ALWAYS_ADMITTED.has(routeKey)) throw shuttingDown();
  }

  /** True when bytes of an answer are already on this socket, so that no other answer fits. */
  isAnswering(socket: Socket): boolean {
    return this.#answering.get(socket)?.headersSent ?? false;
  }

  /** From now on only stop and the probes are admitted. Settles when nothing runs any more, at most after `grace` ms. */
  async drain(grace: number): Promise<void> {
    this.#draining = true;
    await this.#emptyWithin(grace);
  }

  /** Ends what still runs with an error that says why, and gives it `within` ms to tell its client. */
  async end(within: number): Promise<void> {
    for (const controller of this.#flights) controller.abort(shuttingDown());
    await this.#emptyWithin(within);
  }

  #emptyWithin(limit: number): Promise<void> {
    if (this.#flights.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limit);
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function shuttingDown(): ServiceError {
  return unavailable('service', 'It is shutting down; try again in a moment.');
}

function hungUp(): ServiceError {
  return new ServiceError('request_timeout', { detail: 'The client hung up before the answer was ready.' });
}
