import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { Fence } from '../../functions/shared/control/fence.ts';
import type { HostFacts } from '../../functions/shared/pipeline/exchange.ts';
import type { Ports } from '../../functions/shared/port.ts';
import { readBody } from './body.ts';
import type { BodyBudget } from './body-budget.ts';
import { streamBody } from './body-stream.ts';
import type { Client } from './client-address.ts';
import type { PendingRequest } from './pending-request.ts';

interface Parts {
  readonly ports: Ports;
  readonly listener: HostFacts['listener'];
  readonly pending: PendingRequest;
  readonly client: Client;
  readonly request: IncomingMessage;
  readonly bodies: BodyBudget;
}

/** What this host tells the pipeline about one request. Whatever is costly is created on first access. */
export class RequestFacts implements HostFacts {
  readonly ports: Ports;
  readonly listener: HostFacts['listener'];
  readonly viaTrustedProxy: boolean;
  readonly #pending: PendingRequest;
  readonly #request: IncomingMessage;
  readonly #bodies: BodyBudget;

  constructor({ ports, listener, pending, client, request, bodies }: Parts) {
    this.ports = ports;
    this.listener = listener;
    this.viaTrustedProxy = client.viaTrustedProxy;
    this.#pending = pending;
    this.#request = request;
    this.#bodies = bodies;
  }

  get encrypted(): boolean {
    return this.#request.socket instanceof TLSSocket;
  }

  get signal(): AbortSignal {
    return this.#pending.signal;
  }

  get abandoned(): boolean {
    return this.#pending.abandoned;
  }

  get arrivedAt(): number {
    return this.#pending.arrivedAt;
  }

  get overtaken(): AbortSignal {
    return this.#pending.overtaken;
  }

  overtake<T>(stop: () => T, fence: Fence): T {
    return this.#pending.overtake(stop, fence);
  }

  readBody(maxBytes: number, owner: string): Buffer | Promise<Buffer> {
    return readBody(this.#request, this.#pending.response, { maxBytes, owner, budget: this.#bodies });
  }

  openBody(maxBytes: number): Readable {
    return streamBody(this.#request, this.#pending.response, maxBytes);
  }
}
