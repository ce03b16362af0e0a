import { ServiceError } from '../errors.ts';

/** `token_invalid` with the way out. */
export function invalidToken(why: string, cause?: unknown): ServiceError {
  return new ServiceError('token_invalid', {
    detail: `The token cannot be accepted. ${why} Get a new one from GET /api/v2/auth/.`,
    cause,
  });
}
