import * as z from 'zod';
import { ACCESS_LEVELS } from '../shared/access.ts';
import { queryBoolean } from '../shared/query-types.ts';

/** Query of v2 authentication (specification, section 4.1). */
export const AuthenticateQuery = z.strictObject({
  username: z
    .string()
    .regex(/^[A-Za-z0-9._@-]{1,48}$/, 'The username is 1 to 48 of A-Z a-z 0-9 . _ @ -')
    .optional()
    .describe('user name the caller claims for the stream server; becomes part of the token')
    .meta({ example: 'operator@example.org' }),
  mediamtx_publish: queryBoolean({
    description: 'the token may also publish streams; over TCP the API key must be of level ADMIN or ENCHANTER',
    example: false,
  }),
});

export const AccessLevel = z.enum(ACCESS_LEVELS).meta({ id: 'AccessLevel' });

/** Answer of authentication and refresh; the token also stands in the Authorization header. */
export const TokenAnswer = z
  .strictObject({
    client_id: z.uuid().describe('created for this client; a refresh keeps it'),
    access_level: AccessLevel,
    token: z
      .string()
      .describe('the JWT (ES256), for "Authorization: Bearer <token>"')
      .meta({ example: 'eyJhbGciOiJFUzI1NiIs…' }),
    token_type: z.literal('Bearer'),
    expires_in: z
      .int()
      .min(0)
      .max(1800)
      .describe('seconds; 1800, less at the end of a session')
      .meta({ example: 1800 }),
    expires_at: z.iso.datetime().describe('expiry of the token, RFC 3339 in UTC'),
  })
  .meta({ id: 'TokenAnswer' });

export const LoggedOut = z
  .strictObject({ client_id: z.string(), logged_out: z.literal(true) })
  .meta({ id: 'LoggedOut', example: { client_id: '8c6a7b1e-2f3d-4c5b-9a8e-1d2c3b4a5f60', logged_out: true } });

const Jwk = z
  .strictObject({
    kty: z.literal('EC'),
    crv: z.literal('P-256'),
    x: z.string(),
    y: z.string(),
    kid: z.string().describe('RFC 7638 thumbprint'),
    alg: z.literal('ES256'),
    use: z.literal('sig'),
  })
  .meta({ id: 'Jwk' });

/** The public keys that verify the service's tokens (RFC 7517). */
export const Jwks = z.strictObject({ keys: z.array(Jwk).min(1) }).meta({ id: 'Jwks' });
