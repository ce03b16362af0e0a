import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { processConfig } from '../config.ts';
import { createLogger } from '../logger.ts';
import { Ports } from '../port.ts';
import { metrics } from '../ports.ts';
import { addressRobot } from './addressed-robot.ts';
import { type AuditNote, keepNote } from './audit.ts';
import type { EndpointSpec } from './endpoint.ts';
import type { Exchange, HostContext, HostFacts, PipelineRequest, Result } from './exchange.ts';
import { logRequest } from './request-log.ts';

export type RunPipeline = (event: APIGatewayProxyEventV2, context: PipelineRequest['context']) => Promise<Result>;

const REQUEST_ID = /^[A-Za-z0-9._:-]{8,128}$/;
const COUNTING = { metrics };

/**
 * The outermost place: whatever the pipeline answers, an early end and an error included, leaves with its request id and
 * the security headers, is counted and is logged.
 */
export async function answer(
  event: APIGatewayProxyEventV2,
  context: HostContext,
  spec: EndpointSpec,
  pipeline: RunPipeline,
): Promise<Result> {
  const started = performance.now();
  const proxied = context.host === undefined;
  const given = context.host ?? lambdaFacts();
  if (proxied) await given.ports.thaw();
  const addressed = given.ports.config.fleet ? addressRobot(given, event, proxied) : given;
  const [host, run] = typeof addressed === 'function' ? [given, addressed] : [addressed, pipeline];
  const exchange: Exchange = { spec, host, requestId: requestIdOf(event) };
  const result = await run(event, Object.assign(context, { exchange }));
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

/** A known caller who was turned away from something that is audited leaves a trace as well. */
function refusedNote({ spec, caller, keyHolder }: Exchange): AuditNote | undefined {
  if (spec.audit === undefined || (caller ?? keyHolder) === undefined) return undefined;
  return { action: spec.audit, subject: {} };
}

/** The request id of the caller when it is well formed, else a new one. */
function requestIdOf(event: APIGatewayProxyEventV2): string {
  const given = event.headers['x-request-id'];
  return given !== undefined && REQUEST_ID.test(given) ? given : randomUUID();
}

let lambda: HostFacts | undefined;

function lambdaFacts(): HostFacts {
  if (!lambda) {
    const config = processConfig();
    const ports = new Ports({ config, logger: createLogger(config.SERVICE_LOG_LEVEL) });
    lambda = { ports, listener: 'tcp', signal: new AbortController().signal };
  }
  return lambda;
}

/** Closes what a function has opened. In the cloud it is frozen and then gone; who runs one elsewhere says when it ends. */
export async function endFunction(): Promise<void> {
  await lambda?.ports.close();
  lambda = undefined;
}

/** API Gateway takes bytes as base64 only. Streams are never routed to the cloud. */
function forLambda(result: Result): Result {
  if (!Buffer.isBuffer(result.body)) return result;
  return { ...result, body: result.body.toString('base64'), isBase64Encoded: true } as Result;
}
