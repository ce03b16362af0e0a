import * as z from 'zod';
import { ApiKeyRecord } from '../shared/identity/api-key-record.schema.ts';
import { queryFlag } from '../shared/query-types.ts';
import { AccessLevel } from './auth.schema.ts';

const EXAMPLE = {
  id: 'd41f0e92ab37',
  name: 'new phone',
  level: 'ADMIN',
  created_at: '2026-05-04T10:20:30Z',
  revoked_at: null,
} as const;

const shape = {
  id: z.string(),
  name: z.string(),
  level: AccessLevel,
  created_at: z.string().describe('RFC 3339'),
  revoked_at: z.string().nullable().describe('RFC 3339; null while it is valid'),
  expires_at: z.string().exactOptional().describe('RFC 3339; absent: it does not end by itself'),
  robots: z.array(z.string()).readonly().exactOptional().describe('the robots it opens; absent: all'),
  last_used_at: z.string().nullable().describe('when it was last traded for a token, to the minute; null: not yet'),
};

/** A key as it is shown: never its hash. */
export const ApiKey = z.strictObject(shape).meta({ id: 'ApiKey', example: { ...EXAMPLE, last_used_at: null } });

export const ApiKeyList = z.strictObject({ keys: z.array(ApiKey) }).meta({ id: 'ApiKeyList' });

export const CreatedApiKey = z
  .strictObject({ ...shape, key: z.string().describe('the secret, shown this once') })
  .meta({ id: 'CreatedApiKey', example: { ...EXAMPLE, last_used_at: null, key: 'rk_Yb0…' } });

export const ApiKeyRequest = z
  .strictObject({
    name: z
      .string()
      .regex(/^[^\p{Cc}]{1,100}$/u, 'A name has 1 to 100 characters, none of them a control character.')
      .describe('what people know it by'),
    level: AccessLevel,
    robots: ApiKeyRecord.shape.robots.describe('the robots it shall open; absent: all'),
    expires_at: ApiKeyRecord.shape.expires_at.describe('when it shall end, RFC 3339; absent: never'),
  })
  .meta({ id: 'ApiKeyRequest', example: { name: 'new phone', level: 'ADMIN' } });
export type ApiKeyRequest = z.output<typeof ApiKeyRequest>;

export const KeyPath = z.object({ key_id: z.string().meta({ example: 'd41f0e92ab37' }) });

export const RevokeQuery = z.strictObject({
  confirm: queryFlag({ description: 'needed for the last unlimited ENCHANTER key, and for the key of the caller' }),
});
