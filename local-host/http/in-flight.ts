import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError, unavailable } from '../../functions/shared/errors.ts';
import { PendingRequest } from './pending-request.ts';
import { UnreadBytes } from './unread-bytes.ts';

/**
 * Routes that are answered even during shutdown and to clients over their limits: the robot must always be stoppable,
 * and probes must see the state of the service.
 */
const ESSENTIAL = new Set(['POST /api/{version}/stop', 'GET /health/live', 'GET /health/ready']);

export function isEssential({ routeKey }: { readonly routeKey: string }): boolean {
  return ESSENTIAL.has(routeKey);
}

/**
 * A connection with more unanswered requests is closed: no client pipelines so many. Node parses all that a packet holds
 * in one turn of the event loop, and a stop on another connection waits for that.
 */
const MAX_PIPELINED = 128;

/** Is told which connections have pending requests. */
interface ConnectionObserver {
  markBusy(socket: Socket): void;
  markIdle(socket: Socket): void;
}

/** All pending requests. Abandons those whose client hangs up, and those still running at shutdown. */
export class InFlight {
  /** The pending requests of each open connection, in order: usually one, several if the client pipelines. */
  readonly #connections = new Map<Socket, PendingRequest[]>();
  readonly #unread = new UnreadBytes((socket) => this.isPending(socket));
  #size = 0;
  #draining = false;
  #onEmpty: (() => void) | undefined;
  readonly #observer: ConnectionObserver | undefined;

  constructor(observer?: ConnectionObserver) {
    this.#observer = observer;
  }

  get draining(): boolean {
    return this.#draining;
  }

  get size(): number {
    return this.#size;
  }

  begin({ socket }: IncomingMessage, response: ServerResponse): PendingRequest {
    const pipeline = this.#connections.get(socket) ?? this.#connect(socket);
    const request = new PendingRequest(response, pipeline, this.#unread.mayBeOld(socket));
    const length = pipeline.push(request);
    if (length === 1) this.#observer?.markBusy(socket);
    if (length > MAX_PIPELINED) socket.destroy();
    this.#size += 1;
    response.on('close', () => {
      const index = pipeline.indexOf(request);
      if (index < 0) return;
      pipeline.splice(index, 1);
      this.#finish(request);
      if (pipeline[0]) pipeline[0].takeTurn(true);
      else this.#observer?.markIdle(socket);
      this.#unread.idle(socket);
    });
    return request;
  }

  /**
   * A response queued behind others has no socket yet and gets no close event, so the connection is watched as well.
   */
  #connect(socket: Socket): PendingRequest[] {
    const pipeline: PendingRequest[] = [];
    this.#connections.set(socket, pipeline);
    socket.once('close', () => {
      this.#connections.delete(socket);
      for (const request of pipeline.splice(0)) {
        this.#finish(request);
        request.takeTurn(false);
      }
    });
    return pipeline;
  }

  #finish(request: PendingRequest): void {
    this.#size -= 1;
    if (!request.response.writableFinished) request.abandon(hungUp());
    if (this.#size === 0) this.#onEmpty?.();
  }

  /** @throws ServiceError `component_unavailable` during shutdown, unless the route is essential. */
  admit(routeKey: string): void {
    if (this.#draining && !ESSENTIAL.has(routeKey)) throw shuttingDown();
  }

  /** Until {@link letGo} motion may have been sent before a stop of another process, and after it what was not read yet. */
  holdBack(): void {
    this.#unread.holdBack([...this.#connections].filter(([, { length }]) => length > 0).map(([socket]) => socket));
  }

  letGo(): void {
    this.#unread.letGo();
  }

  /** True if part of a response has been written to the socket, so that no other response can follow. */
  isAnswering(socket: Socket): boolean {
    return this.#connections.get(socket)?.some(({ response }) => response.headersSent) ?? false;
  }

  /** True while a request of the connection is unanswered. */
  isPending(socket: Socket): boolean {
    return this.pendingOf(socket) > 0;
  }

  /** How many requests of the connection are unanswered. */
  pendingOf(socket: Socket): number {
    return this.#connections.get(socket)?.length ?? 0;
  }

  /** Admits only stop and the probes from now on. Settles when no request is pending, after `graceMs` at the latest. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    for (const request of this.#all()) if (request.endless) request.abandon(shuttingDown());
    await this.#emptyWithin(graceMs);
  }

  /** Abandons the pending requests, and gives them `limitMs` to answer their clients with an error. */
  async end(limitMs: number): Promise<void> {
    for (const request of this.#all()) request.abandon(shuttingDown());
    await this.#emptyWithin(limitMs);
  }

  #all(): PendingRequest[] {
    return [...this.#connections.values()].flat();
  }

  #emptyWithin(limitMs: number): Promise<void> {
    if (this.#size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
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
  return new ServiceError('request_timeout', { detail: 'The client hung up before the response was ready.' });
}
