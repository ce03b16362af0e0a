import type { Readable } from 'node:stream';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { Caller } from '../access.ts';
import type { Fence } from '../control/fence.ts';
import type { ErrorCode, ServiceError } from '../errors.ts';
import type { ApiKeyRecord } from '../identity/key-store.port.ts';
import type { Ports } from '../port.ts';
import type { AuditNote, EndpointSpec } from './spec.ts';

/** What the local host knows beyond an API Gateway event. A real Lambda context has no `host`. */
export interface HostFacts {
  readonly ports: Ports;
  /** Which listener took the request; a header can never say it. */
  readonly listener: 'tcp' | 'socket';
  /**
   * Aborts when the client hangs up or the service is about to end. Costs something to make: asked for only where there
   * is a wait.
   */
  readonly signal: AbortSignal;
  /** True once `signal` would be aborted. */
  readonly abandoned: boolean;
  /** When the request arrived, in the order of events in this process (`arrivalStamp`). */
  readonly arrivedAt: number;
  /** Aborts with `stopped` when a stop that came later on the same connection acts before this request is answered. */
  readonly overtaken?: AbortSignal | undefined;
  /**
   * Runs a stop ahead of the earlier requests of its connection, whose waits end. The later ones count as come after
   * the stop when they came after every stop before it.
   */
  readonly overtake?: (<T>(stop: () => T, fence: Fence) => T) | undefined;
  /** The connection itself is TLS. */
  readonly encrypted?: boolean;
  /** The peer is a trusted proxy: what its forwarding headers say counts. */
  readonly viaTrustedProxy?: boolean;
  /** Why nothing can be answered at the moment. */
  readonly fault?: ServiceError;
  /**
   * Reads the body once the caller is known to be allowed in. `owner` is whose share of the memory for bodies it takes.
   * @throws ServiceError `too_large` beyond `maxBytes`, `bad_request`, `component_unavailable`.
   */
  readonly readBody?: ((maxBytes: number, owner: string) => Buffer | Promise<Buffer>) | undefined;
  /**
   * The body as it arrives, from the first time it is read. It breaks off with `too_large`, `request_timeout` when
   * nothing arrives for long, and `bad_request` when it is cut short.
   */
  readonly openBody?: ((maxBytes: number) => Readable) | undefined;
}

/** The same host but for some facts. What it says of the connection it goes on saying when asked. */
export function seenWith(
  host: HostFacts,
  change: Pick<Partial<HostFacts>, 'ports' | 'fault' | 'arrivedAt'>,
): HostFacts {
  return {
    ports: host.ports,
    listener: host.listener,
    get signal() {
      return host.signal;
    },
    get abandoned() {
      return host.abandoned;
    },
    get arrivedAt() {
      return host.arrivedAt;
    },
    get overtaken() {
      return host.overtaken;
    },
    overtake: host.overtake?.bind(host),
    encrypted: host.encrypted ?? false,
    viaTrustedProxy: host.viaTrustedProxy ?? false,
    readBody: host.readBody?.bind(host),
    openBody: host.openBody?.bind(host),
    ...change,
  };
}

export type HostContext = Partial<Context> & { readonly host?: HostFacts; exchange?: Exchange | undefined };

/** The answer of an endpoint: an API Gateway v2 result whose body may also be bytes or a stream. */
export interface Result {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | Readable;
}

/** One request on its way through the pipeline. */
export interface Exchange {
  readonly spec: EndpointSpec;
  host: HostFacts;
  /** In a fleet: to be called when the request is answered, so that the robot may be closed. */
  release?: () => void;
  /** The client's when it has sent a well-formed one. */
  readonly requestId: string;
  /** Our own where `requestId` is the client's, who may send one twice. */
  readonly serviceRequestId: string | undefined;
  /** The body is so large that each step with it takes milliseconds. */
  largeBody?: boolean;
  caller: Caller | undefined;
  keyHolder: ApiKeyRecord | undefined;
  valid: unknown;
  errorCode: ErrorCode | undefined;
  /** What the audit trail shall say of this request, when anything. */
  note: AuditNote | undefined;
}

/** What middy hands to each middleware, as this service uses it. */
export interface PipelineRequest {
  event: APIGatewayProxyEventV2 & { body?: unknown };
  context: HostContext & { exchange: Exchange };
  response: unknown;
  error: Error | null | undefined;
}

/** From this size on a body costs milliseconds to parse and to check. */
export const LARGE_BODY_BYTES = 16 * 1024;
