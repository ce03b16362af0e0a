import * as z from 'zod';
import { SYSTEMS } from '../../shared/allowed-units.ts';
import { LogEntry } from '../../shared/log-entry.schema.ts';
import { queryFlag, queryInteger } from '../../shared/query-types.ts';

/** Most entries one answer holds. */
export const MAX_LINES = 10_000;

const EXAMPLE_CURSOR =
  's=5fd4bc4bbd3b4c0b9c1d44bd9ee96ed4;i=10a;b=0123456789abcdef0123456789abcdef;m=4d2;t=6512a3b4c5d6e;x=1f';

/** Not checked by the schema: whatever is no allowed unit of a known system is 404. */
export const LogsPath = z.object({
  system: z.string().meta({ id: 'System', example: 'head', override: { enum: [...SYSTEMS] } }),
  service_name: z.string().describe('file name of the unit').meta({ example: 'robot-vision.service' }),
});

const CURSOR = /^s=[0-9a-f]{32};i=[0-9a-f]{1,16};b=[0-9a-f]{32};m=[0-9a-f]{1,16};t=[0-9a-f]{1,16};x=[0-9a-f]{1,16}$/;

const instant = (description: string) =>
  z.iso
    .datetime({
      offset: true,
      error: 'Must be a time as in RFC 3339: 2026-05-04T10:20:30Z, or with an offset (+ as %2B).',
    })
    .refine((text) => Date.parse(text) >= 0, 'Must not be before 1970.')
    .optional()
    .describe(description);

const MAX_TEXT_CHARS = 256;

export const LogsQuery = z
  .strictObject({
    lines: queryInteger({
      description: 'maximum number of entries, the newest; with `cursor` the oldest; 10000 if absent',
      minimum: 1,
      maximum: MAX_LINES,
    }),
    since: instant('start of the window, RFC 3339; if absent, an hour before `until`, or before now'),
    until: instant('end of the window, RFC 3339; now if absent'),
    priority: queryInteger({ description: 'this syslog severity and worse: 3 for errors', minimum: 0, maximum: 7 }),
    q: z
      .string()
      .min(1)
      .max(MAX_TEXT_CHARS)
      .optional()
      .describe('literal text that the message contains, in this case'),
    cursor: z
      .string()
      .regex(CURSOR, 'The cursor of an earlier answer.')
      .optional()
      .describe('`cursor` of an earlier answer: only what follows, oldest first, however old')
      .meta({ example: EXAMPLE_CURSOR }),
    follow: queryFlag({ description: 'stream new entries as server-sent events until the client leaves' }),
  })
  .superRefine(({ lines, since, until, cursor, follow }, { addIssue }) => {
    const refuse = (name: string, message: string) => addIssue({ code: 'custom', path: [name], message });
    for (const [name, value] of Object.entries({ lines, since, until, cursor })) {
      if (follow && value !== undefined) {
        refuse(name, `With follow=true only new entries are sent; leave "${name}" out.`);
      }
    }
    if (since === undefined) return;
    if (cursor !== undefined) refuse('since', 'A cursor says where to begin; leave "since" or "cursor" out.');
    if (until !== undefined && Date.parse(since) > Date.parse(until)) refuse('since', 'Must not be after "until".');
  });

export const LogsHeaders = z.object({
  accept: z.string().optional().describe('`text/plain`: one line per entry, for people'),
});

export { LogEntry };

/** The logs of a window, oldest first (specification, sections 4.9 and 8). */
export const ServiceLogs = z
  .object({
    system: z.enum(SYSTEMS),
    service: z.string(),
    since: z.string().describe('start of the window, RFC 3339'),
    truncated: z.boolean().describe('entries of the window were omitted: older ones; with `cursor` newer ones'),
    cursor: z
      .string()
      .nullable()
      .describe('of the last entry, for `?cursor=`; without entries the one that was sent, or null')
      .meta({ example: EXAMPLE_CURSOR }),
    entries: z.array(LogEntry),
  })
  .meta({ id: 'ServiceLogs' });
