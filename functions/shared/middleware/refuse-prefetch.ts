import { ServiceError } from '../errors.ts';
import type { PipelineRequest } from './exchange.ts';

/** A GET with an effect must not run because a browser guesses that somebody may want it. */
export function refusePrefetch({ event }: PipelineRequest): void {
  const purpose = event.headers['sec-purpose'] ?? event.headers.purpose;
  if (purpose === undefined || !purpose.includes('prefetch')) return;
  throw new ServiceError('insufficient_access', {
    detail: 'This request has an effect and is not answered to a prefetch.',
  });
}
