import * as z from 'zod';
import { jsonSize, parsedJsonFault } from '../shared/pipeline/plain-json.ts';
import { DatabaseItem } from './database.schema.ts';

/** `data`: a DatabaseItem as JSON inside a query parameter (specification, section 4.4). */
export const ItemQuery = z.strictObject({
  data: z
    .string()
    .describe('JSON of a DatabaseItem whose item contains the `id`')
    .meta({ example: '{"tablename":"categories_table","item":{"id":1}}' })
    .transform((text, context) => {
      try {
        const value: unknown = JSON.parse(text);
        const size = jsonSize(text);
        const fault = typeof size === 'number' ? parsedJsonFault(value, text, size) : size;
        if (!fault) return value;
        context.addIssue({ code: 'custom', message: fault.message });
      } catch {
        context.addIssue({ code: 'custom', message: 'The text is not valid JSON.' });
      }
      return z.NEVER;
    })
    .pipe(DatabaseItem),
});
