import { PROBLEMS, ServiceError } from '../errors.ts';
import { codeOf, isDiskFull } from '../kit/error-code.ts';
import { BudgetExceeded } from '../observability/budget-exceeded.ts';
import { refusals } from '../observability/ports.ts';
import type { Exchange, PipelineRequest, Result } from './exchange.ts';
import { publicPrefix, withPrefix } from './public-path.ts';

const USES = { refusals };

/** Registered first, so that it runs last: the one place where an error becomes an answer. */
export function renderError() {
  return {
    async onError(request: PipelineRequest): Promise<void> {
      const { exchange } = request.context;
      const error = asServiceError(request.error);
      exchange.errorCode = error.code;
      if (error instanceof BudgetExceeded) await noteRefusal(error, exchange);
      else logFailure(error, exchange);
      request.response = problem(error, exchange.requestId, publicPrefix(request.event, exchange.host));
    },
  };
}

/**
 * The problem+json answer of an error (RFC 9457).
 * @param prefix what the caller has to write before the paths that its sentences name.
 */
export function problem(error: ServiceError, requestId: string, prefix = ''): Result {
  const [status, title] = PROBLEMS[error.code];
  const headers: Record<string, string> = { ...error.headers, 'content-type': 'application/problem+json' };
  if (status === 401) headers['www-authenticate'] = challenge(error);
  const body = {
    ...error.members,
    type: `urn:robot-rest:problem:${error.code}`,
    title,
    status,
    detail: withPrefix(error.message, prefix),
    code: error.code,
    request_id: requestId,
    errors: error.errors?.map(({ pointer, message }) => ({ pointer, message: withPrefix(message, prefix) })),
  };
  return { statusCode: status, headers, body: JSON.stringify(body) };
}

/** Any thrown value as an error with a code. What the domain did not foresee is internal_error and tells nothing. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isDiskFull(error) || codeOf(error) === 'SQLITE_FULL') {
    return new ServiceError('storage_full', {
      detail: 'The storage is full; nothing was changed. Free some space and try again.',
      cause: error,
    });
  }
  return new ServiceError('internal_error', {
    detail: 'An unexpected error occurred. The log of the service has the cause under this request_id.',
    cause: error,
  });
}

/** RFC 6750, section 3: no error attribute when no credentials were sent. */
function challenge(error: ServiceError): string {
  const bearer = 'Bearer realm="robot-rest"';
  return error.code.startsWith('missing_') ? bearer : `${bearer}, error="invalid_token"`;
}

/** A client that is refused over and over must not fill the log. */
async function noteRefusal({ budget, code, message }: BudgetExceeded, { host, caller }: Exchange): Promise<void> {
  const { refusals } = await host.ports.resolve(USES);
  refusals.note(budget, message, { code, owner: caller?.keyId });
}

function logFailure(error: ServiceError, { host, requestId, spec }: Exchange): void {
  if (error.status < 500) return;
  const level = spec.frequent && error.code !== 'internal_error' ? 'debug' : 'error';
  host.ports.logger[level]({ request_id: requestId, code: error.code, err: error.cause ?? error }, error.message);
}
