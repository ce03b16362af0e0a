import type { IncomingMessage } from 'node:http';
import type { HostFacts } from '../functions/shared/middleware/exchange.ts';
import type { Ports } from '../functions/shared/port.ts';
import { readBody } from './body.ts';
import type { Client } from './client-address.ts';
import type { Flight } from './flight.ts';

interface Parts {
  readonly ports: Ports;
  readonly listener: HostFacts['listener'];
  readonly flight: Flight;
  readonly client: Client;
  readonly request: IncomingMessage;
  readonly arrivedAt: number;
}

/** What this host tells the pipeline about one request. What costs something is made only when it is asked for. */
export class RequestFacts implements HostFacts {
  readonly ports: Ports;
  readonly listener: HostFacts['listener'];
  readonly viaTrustedProxy: boolean;
  readonly arrivedAt: number;
  readonly #flight: Flight;
  readonly #request: IncomingMessage;

  constructor({ ports, listener, flight, client, request, arrivedAt }: Parts) {
    this.ports = ports;
    this.listener = listener;
    this.viaTrustedProxy = client.viaTrustedProxy;
    this.arrivedAt = arrivedAt;
    this.#flight = flight;
    this.#request = request;
  }

  get signal(): AbortSignal {
    return this.#flight.signal;
  }

  get abandoned(): boolean {
    return this.#flight.abandoned;
  }

  get overtaken(): AbortSignal {
    return this.#flight.overtaken;
  }

  overtakeEarlier(): void {
    this.#flight.overtakeEarlier();
  }

  readBody(): Buffer | Promise<Buffer> {
    return readBody(this.#request, this.#flight.response);
  }
}
