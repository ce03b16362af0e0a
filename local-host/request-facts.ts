import type { IncomingMessage } from 'node:http';
import type { Fence } from '../functions/shared/control/fence.ts';
import type { HostFacts } from '../functions/shared/middleware/exchange.ts';
import type { Ports } from '../functions/shared/port.ts';
import { readBody } from './body.ts';
import type { BodyBudget } from './body-budget.ts';
import type { Client } from './client-address.ts';
import type { Flight } from './flight.ts';

interface Parts {
  readonly ports: Ports;
  readonly listener: HostFacts['listener'];
  readonly flight: Flight;
  readonly client: Client;
  readonly request: IncomingMessage;
  readonly bodies: BodyBudget;
}

/** What this host tells the pipeline about one request. What costs something is made only when it is asked for. */
export class RequestFacts implements HostFacts {
  readonly ports: Ports;
  readonly listener: HostFacts['listener'];
  readonly viaTrustedProxy: boolean;
  readonly #flight: Flight;
  readonly #request: IncomingMessage;
  readonly #bodies: BodyBudget;

  constructor({ ports, listener, flight, client, request, bodies }: Parts) {
    this.ports = ports;
    this.listener = listener;
    this.viaTrustedProxy = client.viaTrustedProxy;
    this.#flight = flight;
    this.#request = request;
    this.#bodies = bodies;
  }

  get signal(): AbortSignal {
    return this.#flight.signal;
  }

  get abandoned(): boolean {
    return this.#flight.abandoned;
  }

  get arrivedAt(): number {
    return this.#flight.arrivedAt;
  }

  get overtaken(): AbortSignal {
    return this.#flight.overtaken;
  }

  overtake<T>(stop: () => T, fence: Fence): T {
    return this.#flight.overtake(stop, fence);
  }

  readBody(maxBytes: number, owner: string): Buffer | Promise<Buffer> {
    return readBody(this.#request, this.#flight.response, { maxBytes, owner, budget: this.#bodies });
  }
}
