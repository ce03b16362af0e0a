import * as z from 'zod';
import { SYSTEMS } from '../../shared/adapters/service-manager/port.ts';

/** Most entries one answer holds. */
export const MAX_LINES = 10_000;

/** Not checked by the schema: whatever is no allowed unit of a known system is 404. */
export const LogsPath = z.object({
  system: z.string().meta({ enum: [...SYSTEMS], example: 'head' }),
  service_name: z.string().describe('file name of the unit').meta({ example: 'robot-nav.service' }),
});

export const LogsQuery = z
  .strictObject({
    lines: z
      .string()
      .regex(/^\d{1,5}$/, 'a whole number from 1 to 10000')
      .transform(Number)
      .pipe(z.int().min(1).max(MAX_LINES))
      .optional()
      .describe('most entries to answer, the newest kept; 10000 when absent'),
    follow: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .default(false)
      .describe('stream new entries as server-sent events until the client leaves'),
  })
  .refine(({ lines, follow }) => !(follow && lines !== undefined), {
    path: ['lines'],
    message: 'With follow=true only new entries are sent; leave "lines" out.',
  });

export const LogsHeaders = z.object({
  accept: z.string().optional().describe('`text/plain`: one line an entry, for people'),
});

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

/** The logs of the last hour, oldest first (specification, sections 4.9 and 8). */
export const ServiceLogs = z
  .object({
    system: z.enum(SYSTEMS),
    service: z.string(),
    since: z.string().describe('start of the window, RFC 3339'),
    truncated: z.boolean().describe('older entries of the window were left out'),
    entries: z.array(LogEntry),
  })
  .meta({ id: 'ServiceLogs' });
