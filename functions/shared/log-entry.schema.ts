import * as z from 'zod';

/** One entry of a journal. */
export const LogEntry = z
  .object({
    timestamp: z.string().describe('RFC 3339, UTC, microseconds').meta({ example: '2026-05-04T10:20:30.123456Z' }),
    priority: z
      .int()
      .min(0)
      .max(7)
      .nullable()
      .describe('syslog severity: 0 emergency, 3 error, 6 information, 7 debug'),
    pid: z.int().nullable(),
    message: z.string(),
  })
  .meta({ id: 'LogEntry' });
export type LogEntry = Readonly<z.infer<typeof LogEntry>>;
