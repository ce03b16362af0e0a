import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError, unavailable } from '../functions/shared/errors.ts';
import { Flight } from './flight.ts';

/**
 * Routes that are answered while the service ends, and to clients that have used up their share: the robot must still be
 * stoppable, and probes must see how the service is.
 */
const INDISPENSABLE = new Set(['POST /api/{version}/stop', 'GET /health/live', 'GET /health/ready']);

export function isIndispensable({ routeKey }: { readonly routeKey: string }): boolean {
  return INDISPENSABLE.has(routeKey);
}

/** Who wants to know on which connections requests are being answered. */
interface ConnectionWatcher {
  begin(socket: Socket): void;
  end(socket: Socket): void;
}

/** Every request that is being answered. Knows who hung up, and ends what still runs when the service ends. */
export class InFlight {
  /** What is being answered on each open connection, in order: mostly one request, several when a client pipelines. */
  readonly #connections = new Map<Socket, Flight[]>();
  #size = 0;
  #draining = false;
  #onEmpty: (() => void) | undefined;
  readonly #watcher: ConnectionWatcher | undefined;

  constructor(watcher?: ConnectionWatcher) {
    this.#watcher = watcher;
  }

  get draining(): boolean {
    return this.#draining;
  }

  get size(): number {
    return this.#size;
  }

  begin({ socket }: IncomingMessage, response: ServerResponse): Flight {
    const neighbours = this.#connections.get(socket) ?? this.#connect(socket);
    const flight = new Flight(response, neighbours);
    if (neighbours.push(flight) === 1) this.#watcher?.begin(socket);
    this.#size += 1;
    response.on('close', () => {
      const place = neighbours.indexOf(flight);
      if (place < 0) return;
      neighbours.splice(place, 1);
      this.#land(flight);
      if (neighbours[0]) neighbours[0].takeTurn(true);
      else this.#watcher?.end(socket);
    });
    return flight;
  }

  /** An answer that waits behind others on its connection has no socket and hears nothing, so the connection is watched as well. */
  #connect(socket: Socket): Flight[] {
    const flights: Flight[] = [];
    this.#connections.set(socket, flights);
    socket.once('close', () => {
      this.#connections.delete(socket);
      for (const flight of flights.splice(0)) {
        this.#land(flight);
        flight.takeTurn(false);
      }
    });
    return flights;
  }

  #land(flight: Flight): void {
    this.#size -= 1;
    if (!flight.response.writableFinished) flight.abandon(hungUp());
    if (this.#size === 0) this.#onEmpty?.();
  }

  /** @throws ServiceError `component_unavailable` when the service is ending and the route is not one that must go on. */
  admit(routeKey: string): void {
    if (this.#draining && !INDISPENSABLE.has(routeKey)) throw shuttingDown();
  }

  /** True when bytes of an answer are already on this socket, so that no other answer fits. */
  isAnswering(socket: Socket): boolean {
    return this.#connections.get(socket)?.some(({ response }) => response.headersSent) ?? false;
  }

  /** From now on only stop and the probes are admitted. Settles when nothing runs any more, at most after `grace` ms. */
  async drain(grace: number): Promise<void> {
    this.#draining = true;
    for (const flight of this.#all()) if (flight.endless) flight.abandon(shuttingDown());
    await this.#emptyWithin(grace);
  }

  /** Ends what still runs with an error that says why, and gives it `within` ms to tell its client. */
  async end(within: number): Promise<void> {
    for (const flight of this.#all()) flight.abandon(shuttingDown());
    await this.#emptyWithin(within);
  }

  #all(): Flight[] {
    return [...this.#connections.values()].flat();
  }

  #emptyWithin(limit: number): Promise<void> {
    if (this.#size === 0) return Promise.resolve();
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
