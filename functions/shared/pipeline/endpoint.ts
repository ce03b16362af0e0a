import middy from '@middy/core';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Access } from '../access.ts';
import type { Resolved, Uses } from '../port.ts';
import { answer, type RunPipeline } from './answer.ts';
import { authenticate, recognize } from './authenticate.ts';
import { type Call, HandlerCall } from './call.ts';
import type { HostContext, PipelineRequest, Result } from './exchange.ts';
import { parseInput } from './parse-input.ts';
import { parseJson } from './parse-json.ts';
import { receiveBody } from './receive-body.ts';
import { renderError } from './render-error.ts';
import { renewToken } from './renew-token.ts';
import { Reply } from './reply.ts';
import { refusePrefetch, requireAccess } from './require-access.ts';
import { requireHost } from './require-host.ts';
import { requireSecureChannel } from './require-secure-channel.ts';
import type { Answer, EndpointSpec, InputSpec, OutputSpec } from './spec.ts';
import { successStatus } from './success-status.ts';

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
 * The result is a Middy handler for API Gateway v2 events. The order of checks is fixed: token (401), level (403),
 * media type and size (415, 413), syntax (400), schema (422), and only then the handler. A handler returns the JSON
 * value that `output` describes or a {@link Reply}, and throws ServiceError.
 */
export function endpoint<
  const A extends Access,
  I extends InputSpec = Record<never, never>,
  U extends Uses = Record<never, never>,
  O extends OutputSpec = OutputSpec,
>(spec: EndpointSpec<A, I, U, O>) {
  return {
    handler(work: (call: Call<A, I>, ports: Resolved<U>) => Answer<O> | Promise<Answer<O>>): Endpoint {
      const uses = spec.uses ?? ({} as U); // as: an endpoint without ports uses the empty set
      const pipeline = newPipeline()
        .use(renderError())
        .use(stepsOf(spec).map((before) => ({ before })))
        .use(spec.renewsToken ? [{ after: renewToken }, { after: renderResponse }] : { after: renderResponse })
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

/**
 * What a request to this endpoint passes through before its handler, in this order; what it does not need is left out.
 */
function stepsOf({
  access,
  perRobot,
  tokenOpensRobot,
  effects,
  secretAnswer,
  input,
  bodyType,
  bodyStream,
}: EndpointSpec): Step[] {
  const steps: Array<Step | false> = [
    access !== 'public' && authenticate,
    tokenOpensRobot === true && recognize,
    typeof access !== 'string' && requireAccess,
    perRobot !== true && requireHost,
    secretAnswer === true && requireSecureChannel,
    effects === 'all' && refusePrefetch,
    input?.body !== undefined && receiveBody,
    ...(input?.body !== undefined && bodyType !== 'multipart' && !bodyStream ? [parseJson, letOthersPass] : []),
    bodyStream?.json !== undefined && parseJsonInstead,
    parseInput,
    input?.body !== undefined && letOthersPass,
  ];
  return steps.filter((step) => step !== false);
}

/** Where a JSON document came in place of a stream. */
function parseJsonInstead(request: PipelineRequest): void | Promise<void> {
  if (typeof request.event.body === 'string') return parseJson(request);
}

/** After a step that takes milliseconds with a large body: what has arrived since, a stop above all, goes first. */
function letOthersPass({ context: { exchange } }: PipelineRequest): void | Promise<void> {
  if (exchange.largeBody) return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Turns what the handler returned into a result: a plain value becomes JSON, a {@link Reply} passes with its own
 * headers.
 */
function renderResponse(request: PipelineRequest): void {
  const value = request.response;
  const result: Result =
    value instanceof Reply
      ? { statusCode: value.status, headers: value.headers, body: value.body }
      : {
          statusCode: successStatus(request.context.exchange.spec),
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(value ?? null),
        };
  request.response = result;
}
