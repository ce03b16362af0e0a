import type { ServerResponse } from 'node:http';
import { arrivalStamp, type Fence } from '../functions/shared/control/fence.ts';
import { ServiceError } from '../functions/shared/errors.ts';

/** A signal that is made when it is first asked for: most answers never wait. */
class LazySignal {
  #controller: AbortController | undefined;
  #reason: ServiceError | undefined;

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  abort(reason: ServiceError): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
  }
}

/** One request that is being answered, until the last byte of its answer is out. */
export class Flight {
  readonly response: ServerResponse;
  /** Its answer goes on until somebody ends it: there is nothing to wait for. */
  endless = false;
  /** The requests of its connection that are being answered, in the order in which they came. */
  readonly #neighbours: readonly Flight[];
  #arrivedAt = arrivalStamp();
  readonly #ending = new LazySignal();
  readonly #overtaking = new LazySignal();
  #takeTurn: ((connected: boolean) => void) | undefined;

  constructor(response: ServerResponse, neighbours: readonly Flight[] = []) {
    this.response = response;
    this.#neighbours = neighbours;
  }

  /** Where it stands in the order of what happens in this process. */
  get arrivedAt(): number {
    return this.#arrivedAt;
  }

  /** Aborts when the client hangs up or the service ends. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** True once nobody waits for the answer any more. */
  get abandoned(): boolean {
    return this.#ending.aborted;
  }

  abandon(why: ServiceError): void {
    this.#ending.abort(why);
  }

  /** Aborts when a stop acts that came later on this connection. */
  get overtaken(): AbortSignal {
    return this.#overtaking.signal;
  }

  /** Runs a stop ahead of the earlier requests of its connection, as `HostFacts` says. */
  overtake<T>(stop: () => T, fence: Fence): T {
    const place = this.#neighbours.indexOf(this);
    const later = this.#neighbours.slice(place + 1).filter(({ arrivedAt }) => fence.isPassed(arrivedAt));
    try {
      return stop();
    } finally {
      for (const flight of this.#neighbours.slice(0, place)) flight.#overtaking.abort(overtakenByStop());
      for (const flight of later) flight.#arrivedAt = arrivalStamp();
    }
  }

  /**
   * Settles when the earlier requests of the connection are answered: with true, or with false when it is gone. Undefined
   * when there are none.
   */
  get turn(): Promise<boolean> | undefined {
    if (this.#neighbours[0] === this) return undefined;
    return new Promise((resolve) => {
      this.#takeTurn = resolve;
    });
  }

  takeTurn(connected: boolean): void {
    this.#takeTurn?.(connected);
  }
}

function overtakenByStop(): ServiceError {
  return new ServiceError('stopped', {
    detail: 'A stop came on the same connection, and its answer has to wait for this one. What ran was stopped.',
    members: { command_ran: 'maybe' },
  });
}
