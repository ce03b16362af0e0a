import * as z from 'zod';

const instant = (description: string) =>
  z.iso
    .datetime({ offset: true, error: 'Must be a time as in RFC 3339: 2026-05-04T10:20:30Z.', abort: true })
    .refine((text) => Date.parse(text) >= 0, 'Must not be before 1970.')
    .optional()
    .describe(description);

/** What an incident bundle is to be about. */
export const IncidentRequest = z
  .strictObject({
    since: instant('start of the logs, RFC 3339; an hour before `until`'),
    until: instant('end of the logs; now'),
    units: z
      .array(
        z.string().regex(/^((head|base)\/)?[\w@.\\:][\w@.\\:-]{0,246}\.service$/, 'A unit, `head/robot-nav.service`.'),
      )
      .min(1)
      .max(64)
      .optional()
      .describe('units whose logs are wanted, each perhaps with `head/` or `base/` before it; all that may be read'),
  })
  .refine(({ since, until }) => since === undefined || until === undefined || Date.parse(since) <= Date.parse(until), {
    path: ['since'],
    error: 'Must not be after "until".',
  })
  .meta({ id: 'IncidentRequest', example: { units: ['head/robot-vision.service'] } });
export type IncidentRequest = z.infer<typeof IncidentRequest>;
