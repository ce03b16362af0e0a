import * as z from 'zod';
import { Json } from '../kit/json.schema.ts';

/** One thing that somebody did, or tried to do. Never a secret: subjects are chosen fields, not bodies. */
export const AuditEntry = z
  .object({
    id: z.string().describe('unique; in the order of writing within one process'),
    at: z.iso.datetime(),
    action: z.string().describe('the action: `command`, `skill.upload`, `token.publisher`, …'),
    subject: z
      .record(z.string(), Json)
      .describe('what the action was applied to: the name of the command, skill or table'),
    client_id: z.string().nullable(),
    key_id: z.string().nullable().describe('`local` over the Unix socket and for commands on the machine itself'),
    key_name: z.string().nullable(),
    address: z.string().describe('address of the client; empty for `relay`'),
    listener: z
      .enum(['tcp', 'socket', 'relay', 'command'])
      .describe('`relay`: through the broker; `command`: a command on the machine itself'),
    outcome: z
      .string()
      .describe(
        '`ok`; `sent`: a command to which the robot gives no answer; `declined` by the robot; or the code of the error',
      ),
    request_id: z.string().nullable().describe("the id in the response: the client's, if it sent one"),
    service_request_id: z.string().optional().describe("the service's own id, where `request_id` is the client's"),
    count: z
      .int()
      .min(2)
      .optional()
      .describe('number of equal actions that this entry represents; `at` is the time of the last'),
    first_at: z.iso.datetime().optional().describe('when the first of them happened'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = Readonly<z.infer<typeof AuditEntry>>;
