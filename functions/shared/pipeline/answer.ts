import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { arrivalStamp } from '../control/fence.ts';
import type { ServiceError } from '../errors.ts';
import { metrics } from '../observability/ports.ts';
import { addressRobot } from './addressed-robot.ts';
import { keepNote } from './audit.ts';
import {
  type Exchange,
  type HostContext,
  type HostFacts,
  type PipelineRequest,
  type Result,
  seenWith,
} from './exchange.ts';
import { lambdaHost } from './lambda-host.ts';
import { problem } from './render-error.ts';
import { logRequest } from './request-log.ts';
import type { AuditNote, EndpointSpec } from './spec.ts';

export type RunPipeline = (event: APIGatewayProxyEventV2, context: PipelineRequest['context']) => Promise<Result>;

const REQUEST_ID = /^[A-Za-z0-9._:-]{8,128}$/;
const COUNTING = { metrics };

/**
 * The outermost place: whatever the pipeline answers, an early end and an error included, leaves with its request id
 * and the security headers, is counted and is logged.
 */
export async function answer(
  event: APIGatewayProxyEventV2,
  context: HostContext,
  spec: EndpointSpec,
  pipeline: RunPipeline,
): Promise<Result> {
  const started = performance.now();
  const host = context.host ? hostAddressed(context.host, event) : await hostInCloud(event);
  const exchange: Exchange = {
    spec,
    host,
    ...requestIds(event),
    caller: undefined,
    keyHolder: undefined,
    valid: undefined,
    errorCode: undefined,
    note: undefined,
  };
  context.exchange = exchange;
  const result = host.fault
    ? refusal(host.fault, exchange)
    : await pipeline(event, context as PipelineRequest['context']); // as: it has just got its exchange
  exchange.release?.();
  const note = exchange.note ?? refusedNote(exchange);
  if (note) await keepNote(event, exchange, note);
  const { headers } = result;
  headers['x-request-id'] = exchange.requestId;
  headers['cache-control'] ??= 'no-store';
  headers['x-content-type-options'] = 'nosniff';
  const seconds = (performance.now() - started) / 1000;
  const counting = host.ports.resolve(COUNTING);
  const { method } = event.requestContext.http;
  (counting instanceof Promise ? await counting : counting).metrics.request(
    event.routeKey,
    method,
    result.statusCode,
    seconds,
  );
  logRequest(host.ports.logger, event, exchange, result.statusCode, seconds);
  return context.host ? result : forLambda(result);
}

/** The host, and in a fleet what it has for the robot that the path names. */
function hostAddressed(host: HostFacts, event: APIGatewayProxyEventV2): HostFacts {
  return host.ports.config.fleet ? addressRobot(host, event) : host;
}

async function hostInCloud(event: APIGatewayProxyEventV2): Promise<HostFacts> {
  const host = await lambdaHost();
  if (host.fault) return host;
  await host.ports.thaw();
  // Only now: what the robot is found to have done while this function was frozen came before the request.
  return addressRobot(seenWith(host, { arrivedAt: arrivalStamp() }), event);
}

function refusal(fault: ServiceError, exchange: Exchange): Result {
  exchange.errorCode = fault.code;
  return problem(fault, exchange.requestId);
}

/** A known caller who was turned away from something that is audited leaves a trace as well. */
function refusedNote({ spec, caller, keyHolder }: Exchange): AuditNote | undefined {
  if (spec.audit === undefined || (caller ?? keyHolder) === undefined) return undefined;
  return { action: spec.audit, subject: {} };
}

/** The request id of the caller when it is well formed, beside our own; else our own alone. */
function requestIds(event: APIGatewayProxyEventV2): Pick<Exchange, 'requestId' | 'serviceRequestId'> {
  const given = event.headers['x-request-id'];
  const own = randomUUID();
  const taken = given !== undefined && REQUEST_ID.test(given);
  return taken ? { requestId: given, serviceRequestId: own } : { requestId: own, serviceRequestId: undefined };
}

/** API Gateway takes bytes as base64 only. Streams are never routed to the cloud. */
function forLambda(result: Result): Result {
  if (!Buffer.isBuffer(result.body)) return result;
  return { ...result, body: result.body.toString('base64'), isBase64Encoded: true } as Result;
}
