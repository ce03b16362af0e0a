import type { Readable } from 'node:stream';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod';
import type { Access, Caller } from '../access.ts';
import type { Fence } from '../control/fence.ts';
import type { ApiKeyRecord } from '../identity/key-store.port.ts';
import { tokens } from '../identity/ports.ts';
import { StreamToken } from '../identity/stream-token.ts';
import { bearerToken } from './bearer-token.ts';
import type { Exchange, HostFacts } from './exchange.ts';
import { forwardedPrefix } from './public-path.ts';
import { isPrefetch } from './require-access.ts';
import type { AuditNote, AuditOutcome, InputSpec } from './spec.ts';

const USES_TOKENS = { tokens };

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;
type CallerOf<A> = A extends 'public' ? undefined : A extends 'api-key' ? ApiKeyRecord : Caller;

/** What a handler sees of a request: parsed values and who is calling. */
export interface Call<A extends Access, I extends InputSpec> {
  readonly valid: {
    readonly path: Parsed<I['path']>;
    readonly query: Parsed<I['query']>;
    readonly headers: Parsed<I['headers']>;
    readonly body: Parsed<I['body']>;
  };
  /** For `api-key` the record of the key, else whom the token speaks for. */
  readonly caller: CallerOf<A>;
  /** Aborts when the client hangs up or the service is about to end. */
  readonly signal: AbortSignal;
  /** True once `signal` would be aborted; costs nothing to ask. */
  readonly abandoned: boolean;
  /** When the request arrived, in the order of events in this process (`arrivalStamp`). */
  readonly arrivedAt: number;
  /** Aborts when a later stop on the same connection acts; undefined where requests come one by one. */
  readonly overtaken: AbortSignal | undefined;
  /** The header `Lease`: under which lease the robot shall move. */
  readonly lease: string | undefined;
  /** Runs a stop ahead of the earlier requests of its connection, whose waits end. */
  readonly overtake: <T>(stop: () => T, fence: Fence) => T;
  /** A browser's prefetch: what has an effect must be refused (`prefetchRefused`). */
  readonly prefetch: boolean;
  /** Which listener took the request. */
  readonly listener: HostFacts['listener'];
  /** Address of the client. */
  readonly address: string;
  /**
   * Destroys a stream within 2 s once the caller's token has ended or was revoked. Errors: `token_expired` when it has
   * ended already, by less than a request tolerates.
   */
  readonly endWithToken: (stream: Readable) => Promise<void>;
  /** GET or HEAD for a safe route, else the method of the route. */
  readonly method: string;
  /** Path as received, without the query. */
  readonly rawPath: string;
  /** What a trusted proxy took off the front of the path, `/robot-1` for instance; empty when nothing is known. */
  readonly forwardedPrefix: string;
  /** Says what the audit trail shall keep of this request: chosen fields, never a secret. */
  readonly record: (action: string, subject: AuditNote['subject']) => void;
  /** Says how what was recorded ended, where that is neither `ok` nor an error. */
  readonly recordOutcome: (outcome: AuditOutcome) => void;
}

/** Reads each part when the handler asks for it: hardly any handler needs more than three. */
export class HandlerCall<A extends Access, I extends InputSpec> implements Call<A, I> {
  readonly #exchange: Exchange;
  readonly #event: APIGatewayProxyEventV2;

  constructor(exchange: Exchange, event: APIGatewayProxyEventV2) {
    this.#exchange = exchange;
    this.#event = event;
  }

  get valid() {
    return this.#exchange.valid as Call<A, I>['valid']; // as: parse-input has made it from the same schemas
  }

  get caller() {
    return (this.#exchange.keyHolder ?? this.#exchange.caller) as CallerOf<A>; // as: authenticate sets it by the same access
  }

  get signal() {
    return this.#exchange.host.signal;
  }

  get abandoned() {
    return this.#exchange.host.abandoned;
  }

  get arrivedAt() {
    return this.#exchange.host.arrivedAt;
  }

  get overtaken() {
    return this.#exchange.host.overtaken;
  }

  get lease() {
    return this.#event.headers.lease;
  }

  readonly overtake = <T>(stop: () => T, fence: Fence): T => {
    const { host } = this.#exchange;
    return host.overtake ? host.overtake(stop, fence) : stop();
  };

  get prefetch() {
    return isPrefetch(this.#event.headers);
  }

  get listener() {
    return this.#exchange.host.listener;
  }

  get address() {
    return this.#event.requestContext.http.sourceIp;
  }

  readonly endWithToken = async (stream: Readable): Promise<void> => {
    try {
      const { tokens } = await this.#exchange.host.ports.resolve(USES_TOKENS);
      const token = await StreamToken.accept(tokens, bearerToken(this.#event.headers.authorization));
      stream.once(
        'close',
        token.watch((reason) => stream.destroy(reason)),
      );
    } catch (error) {
      stream.destroy();
      throw error;
    }
  };

  get method() {
    return this.#event.requestContext.http.method;
  }

  get rawPath() {
    return this.#event.rawPath;
  }

  get forwardedPrefix() {
    return forwardedPrefix(this.#event.headers, this.#exchange.host);
  }

  /** A property and not a method, so that handlers can take it apart from the call. */
  readonly record = (action: string, subject: AuditNote['subject']): void => {
    this.#exchange.note = { action, subject };
  };

  readonly recordOutcome = (outcome: AuditOutcome): void => {
    if (this.#exchange.note) this.#exchange.note.outcome = outcome;
  };
}
