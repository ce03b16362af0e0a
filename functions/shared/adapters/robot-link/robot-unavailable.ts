import { ServiceError } from '../../errors.ts';

/** `robot_unavailable` with what to do about it, and when to try again (seconds). */
export function robotUnavailable(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('robot_unavailable', { detail, headers: { 'retry-after': '5' }, cause });
}
