import * as z from 'zod';

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());

export const AuditQuery = z.strictObject({
  action: z.string().max(64).optional().describe('only this action, `skill.upload` for instance'),
  client_id: z.string().max(64).optional().describe('only this client'),
  key_id: z.string().max(64).optional().describe('only this API key; `local` for the Unix socket'),
  outcome: z.string().max(64).optional().describe('`ok` or an error code'),
  since: time.optional().describe('not before this moment (RFC 3339)'),
  until: time.optional().describe('not after this moment (RFC 3339)'),
  before: z.string().max(64).optional().describe('`next` of the page before'),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

export const AuditPage = z
  .object({
    entries: z.array(
      z.object({
        id: z.string(),
        at: z.iso.datetime(),
        action: z.string(),
        subject: z.record(z.string(), z.unknown()),
        client_id: z.string().nullable(),
        key_id: z.string().nullable(),
        key_name: z.string().nullable(),
        address: z.string(),
        listener: z.enum(['tcp', 'socket', 'relay', 'command']),
        outcome: z.string(),
        request_id: z.string().nullable(),
        service_request_id: z.string().optional().describe("the service's own id, where `request_id` is the client's"),
        count: z
          .number()
          .int()
          .min(2)
          .optional()
          .describe('equal actions this entry stands for; `at` is the last of them'),
        first_at: z.iso.datetime().optional().describe('when the first of them was'),
      }),
    ),
    next: z.string().nullable().describe('pass it as `before` for the next page; null: there is none'),
  })
  .meta({ id: 'AuditPage' });
