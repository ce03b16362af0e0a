import type { AccessLevel } from '../access.ts';
import { ServiceError } from '../errors.ts';
import type { PipelineRequest } from './exchange.ts';

/** Refuses callers whose level is not among the endpoint's. Error: insufficient_access, naming the levels that do. */
export function requireAccess({ context: { exchange } }: PipelineRequest): void {
  const access = exchange.spec.access as readonly AccessLevel[]; // as: endpoints that any token opens are without this step
  const level = exchange.caller?.accessLevel;
  if (level !== undefined && access.includes(level)) return;
  throw new ServiceError('insufficient_access', {
    detail: `This needs access level ${access.join(' or ')}; the token has ${level ?? 'none'}. GET /api/v2/auth/ gives one to an API key of that level.`,
  });
}

/** A GET with an effect must not run because a browser prefetches it. Error: insufficient_access. */
export function refusePrefetch({ event }: PipelineRequest): void {
  if (isPrefetch(event.headers)) throw prefetchRefused();
}

/** Whether a browser sent the request before anybody asked for it. */
export function isPrefetch({ 'sec-purpose': current, purpose = '' }: PipelineRequest['event']['headers']): boolean {
  return (current ?? purpose).toLowerCase().includes('prefetch');
}

export function prefetchRefused(): ServiceError {
  return new ServiceError('insufficient_access', {
    detail: 'This request has an effect and is not answered to a prefetch. Send it without Sec-Purpose and Purpose.',
  });
}
