import * as z from 'zod';
import { plainJsonFault } from '../shared/middleware/plain-json.ts';
import { DatabaseItem } from './database.schema.ts';

/** `data`: a DatabaseItem as JSON inside a query parameter (specification, section 4.4). */
export const ItemQuery = z.strictObject({
  data: z
    .string()
    .describe('JSON of a DatabaseItem whose item holds the `id`')
    .meta({ example: '{"tablename":"categories_table","item":{"id":1}}' })
    .transform((text, context) => {
      try {
        const value: unknown = JSON.parse(text);
        const fault = plainJsonFault(value);
        if (!fault) return value;
        context.addIssue({ code: 'custom', message: fault.message });
      } catch {
        context.addIssue({ code: 'custom', message: 'The text is not valid JSON.' });
      }
      return z.NEVER;
    })
    .pipe(DatabaseItem),
});
