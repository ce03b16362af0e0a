import type { ServerResponse } from 'node:http';
import { arrivalStamp, type Fence } from '../../functions/shared/control/fence.ts';
import { ServiceError } from '../../functions/shared/errors.ts';

/** Creates its AbortController on first access: most requests never wait for anything. */
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

/** One request, from its arrival until the last byte of its response has been sent. */
export class PendingRequest {
  readonly response: ServerResponse;
  /** An open-ended stream: shutdown need not wait for it. */
  endless = false;
  /** The pending requests of its connection in order of arrival, itself included. */
  readonly #pipeline: readonly PendingRequest[];
  #arrivedAt: number;
  readonly #abandonment = new LazySignal();
  readonly #overtaking = new LazySignal();
  #onTurn: ((connected: boolean) => void) | undefined;

  /** @param old it may have been sent before the last stop: it counts as arrived before that. */
  constructor(response: ServerResponse, pipeline: readonly PendingRequest[] = [], old = false) {
    this.response = response;
    this.#arrivedAt = old ? 0 : arrivalStamp();
    this.#pipeline = pipeline;
  }

  /** Its position in the order of events in this process. */
  get arrivedAt(): number {
    return this.#arrivedAt;
  }

  /** Aborts when the client hangs up or the service shuts down. */
  get signal(): AbortSignal {
    return this.#abandonment.signal;
  }

  /** True once nobody is waiting for the response any more. */
  get abandoned(): boolean {
    return this.#abandonment.aborted;
  }

  abandon(reason: ServiceError): void {
    this.#abandonment.abort(reason);
  }

  /** Aborts when a stop that arrived later on this connection takes effect. */
  get overtaken(): AbortSignal {
    return this.#overtaking.signal;
  }

  /** Runs a stop ahead of the earlier requests of its connection, as `HostFacts` describes. */
  overtake<T>(stop: () => T, fence: Fence): T {
    const index = this.#pipeline.indexOf(this);
    const later = this.#pipeline.slice(index + 1).filter(({ arrivedAt }) => fence.isPassed(arrivedAt));
    try {
      return stop();
    } finally {
      for (const request of this.#pipeline.slice(0, index)) request.#overtaking.abort(overtakenByStop());
      for (const request of later) request.#arrivedAt = arrivalStamp();
    }
  }

  /**
   * Settles when the earlier requests of the connection have been answered: with true, or with false if the connection
   * closed. Undefined if there are none.
   */
  get turn(): Promise<boolean> | undefined {
    if (this.#pipeline[0] === this) return undefined;
    return new Promise((resolve) => {
      this.#onTurn = resolve;
    });
  }

  takeTurn(connected: boolean): void {
    this.#onTurn?.(connected);
  }
}

function overtakenByStop(): ServiceError {
  return new ServiceError('stopped', {
    detail:
      'A stop arrived on the same connection while this request was pending; its own answer says whether the robot has stopped.',
    members: { command_ran: 'maybe' },
  });
}
