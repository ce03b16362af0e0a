import { PROBLEMS, ServiceError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { PipelineRequest, Result } from './exchange.ts';

const STORAGE_FULL = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL']);

/** Registered first, so that it runs last: the one place where an error becomes an answer. */
export function renderError() {
  return {
    onError(request: PipelineRequest): void {
      const { exchange } = request.context;
      const error = asServiceError(request.error);
      exchange.errorCode = error.code;
      logFailure(exchange.host.ports.logger, error, exchange.requestId);
      request.response = problem(error, exchange.requestId);
    },
  };
}

/** The problem+json answer of an error (RFC 9457). */
export function problem(error: ServiceError, requestId: string): Result {
  const [status, title] = PROBLEMS[error.code];
  const headers: Record<string, string> = { ...error.headers, 'content-type': 'application/problem+json' };
  if (status === 401) headers['www-authenticate'] = challenge(error);
  const body = {
    ...error.members,
    type: `urn:robot-rest:problem:${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    errors: error.errors,
  };
  return { statusCode: status, headers, body: JSON.stringify(body) };
}

/** Any thrown value as an error with a code. What the domain did not foresee is internal_error and tells nothing. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (STORAGE_FULL.has(codeOf(error) ?? '')) {
    return new ServiceError('storage_full', {
      detail: 'The storage is full; nothing was changed. Free some space and try again.',
      cause: error,
    });
  }
  return new ServiceError('internal_error', {
    detail: 'The service failed in a way that was not foreseen. Its log has the cause under this request_id.',
    cause: error,
  });
}

function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;
}

/** RFC 6750, section 3: no error attribute when no credentials were sent. */
function challenge(error: ServiceError): string {
  const bearer = 'Bearer realm="robot-rest"';
  return error.code.startsWith('missing_') ? bearer : `${bearer}, error="invalid_token"`;
}

function logFailure(logger: Logger, error: ServiceError, requestId: string): void {
  if (error.status < 500) return;
  logger.error({ request_id: requestId, code: error.code, err: error.cause ?? error }, error.message);
}
