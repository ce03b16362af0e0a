import middy from '@middy/core';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod';
import type { Access } from '../access.ts';
import type { ErrorCode } from '../errors.ts';
import type { Resolved, Uses } from '../port.ts';
import { answer, type RunPipeline } from './answer.ts';
import { authenticate } from './authenticate.ts';
import { type Call, HandlerCall } from './call.ts';
import type { HostContext, PipelineRequest, Result } from './exchange.ts';
import { parseInput } from './parse-input.ts';
import { parseJson } from './parse-json.ts';
import { receiveBody } from './receive-body.ts';
import { refusePrefetch } from './refuse-prefetch.ts';
import { renderError } from './render-error.ts';
import { renderResponse } from './render-response.ts';
import { requireAccess } from './require-access.ts';

/** The parts of a request an endpoint reads, each with its schema. What has no schema is not accepted. */
export interface InputSpec {
  readonly path?: z.ZodType;
  readonly query?: z.ZodType;
  /** Named headers, lower case. */
  readonly headers?: z.ZodType;
  readonly body?: z.ZodType;
}

/** An endpoint as declared: the pipeline, the OpenAPI document and the access test all read it. */
export interface EndpointSpec<A extends Access = Access, I extends InputSpec = InputSpec, U extends Uses = Uses> {
  readonly access: A;
  readonly summary: string;
  readonly description?: string;
  readonly input?: I;
  /** Schema of the JSON answer; where an answer has other forms, their media types, beside `json` when that is one. */
  readonly output: z.ZodType | { readonly json?: z.ZodType; readonly mediaTypes: readonly string[] };
  readonly uses?: U;
  /** `multipart`: the body stays bytes for the handler to take apart. Default `json`. */
  readonly bodyType?: 'json' | 'multipart';
  /** The body is a command: at most SERVICE_COMMAND_BODY_MAX bytes. */
  readonly commandBody?: boolean;
  /** The request may come without a body; the schema then sees `undefined`. */
  readonly bodyOptional?: boolean;
  /** Refuses integers beyond ±(2^53-1) anywhere in the body, told from its text: 1e16 is a double and passes. */
  readonly exactIntegers?: boolean;
  /** A GET that changes something: a browser's prefetch is refused. */
  readonly effects?: boolean;
  /** Worked off when it is parsed; everything else waits for the earlier requests of its connection. */
  readonly urgent?: boolean;
  /** Action under which every request of a known caller is kept in the audit trail, refused ones too. */
  readonly audit?: string;
  /** Error codes of its domain, for the OpenAPI document. The pipeline's own are added there. */
  readonly errors?: readonly ErrorCode[];
}

type Step = (request: PipelineRequest) => void | Promise<void>;
type Middleware = { readonly before?: Step; readonly after?: Step; readonly onError?: Step };

interface Pipeline {
  use(middleware: Middleware | readonly Middleware[]): Pipeline;
  handler(work: (event: APIGatewayProxyEventV2, context: PipelineRequest['context']) => Promise<unknown>): RunPipeline;
}

const newPipeline = middy as unknown as () => Pipeline; // as: middy's own types know neither our context nor stream bodies

export type Endpoint = ((event: APIGatewayProxyEventV2, context: HostContext) => Promise<Result>) & {
  readonly spec: EndpointSpec;
};

/**
 * Declares an endpoint: `endpoint({ access, input, output, summary, uses }).handler((call, ports) => value)`.
 *
 * The result is a Middy handler for API Gateway v2 events. The order of checks is fixed: token (401), level (403), media
 * type and size (415, 413), syntax (400), schema (422), and only then the handler. A handler returns a plain JSON value
 * or a {@link Reply}, and throws ServiceError.
 */
export function endpoint<
  const A extends Access,
  I extends InputSpec = Record<never, never>,
  U extends Uses = Record<never, never>,
>(spec: EndpointSpec<A, I, U>) {
  return {
    handler(work: (call: Call<A, I>, ports: Resolved<U>) => unknown): Endpoint {
      const uses = spec.uses ?? ({} as U); // as: an endpoint without ports uses the empty set
      const pipeline = newPipeline()
        .use(renderError())
        .use(stepsOf(spec).map((before) => ({ before })))
        .use({ after: renderResponse })
        .handler(async (event, context) => {
          const { exchange } = context;
          const ports = exchange.host.ports.resolve(uses);
          return work(new HandlerCall<A, I>(exchange, event), ports instanceof Promise ? await ports : ports);
        });
      const handler = (event: APIGatewayProxyEventV2, context: HostContext): Promise<Result> =>
        answer(event, context, spec as unknown as EndpointSpec, pipeline); // as: forgets the literal types
      return Object.assign(handler, { spec: spec as unknown as EndpointSpec }); // as: forgets the literal types
    },
  };
}

/** What a request to this endpoint passes through before its handler, in this order; what it does not need is left out. */
function stepsOf({ access, effects, input, bodyType }: EndpointSpec): Step[] {
  const steps: Array<Step | false> = [
    access !== 'public' && authenticate,
    typeof access !== 'string' && requireAccess,
    effects === true && refusePrefetch,
    input?.body !== undefined && receiveBody,
    input?.body !== undefined && bodyType !== 'multipart' && parseJson,
    parseInput,
  ];
  return steps.filter((step) => step !== false);
}
