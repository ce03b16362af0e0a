import * as z from 'zod';
import { SYSTEMS } from '../../shared/allowed-units.ts';
import { LogEntry } from '../../shared/log-entry.schema.ts';
import { queryFlag, queryInteger } from '../../shared/query-types.ts';

/** Most entries one answer holds. */
export const MAX_LINES = 10_000;

/** Not checked by the schema: whatever is no allowed unit of a known system is 404. */
export const LogsPath = z.object({
  system: z.string().meta({ id: 'System', example: 'head', override: { enum: [...SYSTEMS] } }),
  service_name: z.string().describe('file name of the unit').meta({ example: 'robot-vision.service' }),
});

export const LogsQuery = z
  .strictObject({
    lines: queryInteger({
      description: 'maximum number of entries, the newest; 10000 if absent',
      minimum: 1,
      maximum: MAX_LINES,
    }),
    follow: queryFlag({ description: 'stream new entries as server-sent events until the client leaves' }),
  })
  .refine(({ lines, follow }) => !(follow && lines !== undefined), {
    path: ['lines'],
    message: 'With follow=true only new entries are sent; leave "lines" out.',
  });

export const LogsHeaders = z.object({
  accept: z.string().optional().describe('`text/plain`: one line per entry, for people'),
});

export { LogEntry };

/** The logs of the last hour, oldest first (specification, sections 4.9 and 8). */
export const ServiceLogs = z
  .object({
    system: z.enum(SYSTEMS),
    service: z.string(),
    since: z.string().describe('start of the window, RFC 3339'),
    truncated: z.boolean().describe('older entries of the window were omitted'),
    entries: z.array(LogEntry),
  })
  .meta({ id: 'ServiceLogs' });
