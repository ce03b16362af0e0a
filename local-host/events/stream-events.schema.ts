import * as z from 'zod';
import { documentedAs } from '../../functions/shared/documented.ts';
import { MAX_TOPICS } from '../../functions/shared/events/messages.schema.ts';

export const EventsQuery = z.strictObject({
  topics: z
    .string()
    .min(1, 'Name at least one topic.')
    .transform((text) => [...new Set(text.split(',').map((name) => name.trim()))])
    .refine((names) => names.length <= MAX_TOPICS, `At most ${MAX_TOPICS} topics.`)
    .meta({
      description: 'topics, separated by commas',
      example: 'missions,alerts',
      ...documentedAs({ type: 'string' }),
    }),
});

export const EventsHeaders = z.object({
  authorization: z.string().optional(),
  'last-event-id': z
    .string()
    .optional()
    .describe('id of the last event that was seen: what was missed since then is replayed'),
});
