import * as z from 'zod';
import { AuditEntry } from '../../shared/observability/audit-entry.schema.ts';
import { queryIntegerOr } from '../../shared/query-types.ts';

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());

export const AuditQuery = z.strictObject({
  action: z.string().max(64).optional().describe('only this action, `skill.upload` for instance'),
  client_id: z.string().max(64).optional().describe('only this client'),
  key_id: z.string().max(64).optional().describe('only this API key; `local` for the Unix socket'),
  outcome: z.string().max(64).optional().describe('`ok`, `sent`, `declined`, or an error code'),
  since: time.optional().describe('not before this moment (RFC 3339)'),
  until: time.optional().describe('not after this moment (RFC 3339)'),
  before: z.string().max(64).optional().describe('`next` of the previous page'),
  limit: queryIntegerOr(100, { description: 'maximum number of entries', minimum: 1, maximum: 1000 }),
});

export const AuditPage = z
  .object({
    entries: z.array(AuditEntry),
    next: z.string().nullable().describe('pass it as `before` for the next page; null: there is none'),
  })
  .meta({ id: 'AuditPage' });
