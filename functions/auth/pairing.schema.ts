import * as z from 'zod';
import { AccessLevel } from './auth.schema.ts';

export const PairingRequest = z
  .strictObject({
    level: AccessLevel.optional().describe('level of the new token, at most the own; USER if absent'),
    key: z
      .string()
      .max(24)
      .optional()
      .describe('over the Unix socket only: id of the API key that the new token shall be bound to'),
  })
  .meta({ id: 'PairingRequest', example: { level: 'USER' } })
  .optional();
export type PairingRequest = z.output<typeof PairingRequest>;

export const PairingCode = z
  .strictObject({
    code: z.string().describe('128 random bits; good once'),
    expires_at: z.iso.datetime().describe('RFC 3339; a minute from now'),
  })
  .meta({ id: 'PairingCode', example: { code: 'q3VbX0m1rY6TzK8sWc2nDg', expires_at: '2026-05-04T10:21:30.000Z' } });

export const PairRequest = z
  .strictObject({ code: z.string().max(256).describe('as the other device shows it') })
  .meta({ id: 'PairRequest', example: { code: 'q3VbX0m1rY6TzK8sWc2nDg' } });
