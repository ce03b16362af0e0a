import * as z from 'zod';
import { ACCESS_LEVELS } from '../access.ts';

const ROBOT_ID = /^[A-Za-z0-9_.-]{1,64}$/;

/** An API key as it is kept. The id is short, since it travels in every token. */
export const ApiKeyRecord = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,24}$/, '1 to 24 of A-Z a-z 0-9 _ -')
    .refine((id) => id !== 'local', '"local" stands for the Unix socket'),
  name: z.string().min(1).max(100),
  level: z.enum(ACCESS_LEVELS),
  /** Of the whole secret, prefix included: nothing else is kept of it. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'the SHA-256 in lower-case hex'),
  created_at: z.iso.datetime({ offset: true }),
  revoked_at: z.iso.datetime({ offset: true }).nullable(),
  /** When present, the key and its tokens end then. */
  expires_at: z.iso.datetime({ offset: true }).exactOptional(),
  /** When present, the key opens these robots only. */
  robots: z.array(z.string().regex(ROBOT_ID, 'robot ids')).min(1).readonly().exactOptional(),
});
export type ApiKeyRecord = Readonly<z.infer<typeof ApiKeyRecord>>;

/** When a key ends, in ms since the epoch; Infinity for one that does not. */
export function endOf({ expires_at }: Pick<ApiKeyRecord, 'expires_at'>): number {
  return expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
}
