import { ServiceError } from '../errors.ts';

/**
 * The scheme is case-insensitive and may be followed by several spaces (RFC 9110, section 11.4); most clients send
 * `Bearer `.
 */
const OTHER_BEARER = /^bearer +([A-Za-z0-9._~+/=-]{1,4096})$/i;
/** An API key where a token belongs, with or without the scheme. */
const API_KEY = /^(bearer +)?rk_/i;

/** @throws ServiceError `missing_token`, `token_invalid`. */
export function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '') {
    throw new ServiceError('missing_token', {
      detail:
        'Send the token in the header "Authorization: Bearer <token>". GET /api/v2/auth/ exchanges an API key for one.',
    });
  }
  if (API_KEY.test(authorization)) {
    throw new ServiceError('token_invalid', {
      detail:
        'This is an API key: trade it at GET /api/v2/auth/ with the header "X-API-Key: <key>", and send the token from its answer here.',
    });
  }
  const token = authorization.startsWith('Bearer ') ? authorization.slice(7) : OTHER_BEARER.exec(authorization)?.[1];
  if (token === undefined) {
    throw new ServiceError('token_invalid', {
      detail: 'The Authorization header must have the form "Bearer <token>", with the token from GET /api/v2/auth/.',
    });
  }
  return token;
}
