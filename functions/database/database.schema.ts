import * as z from 'zod';
import { TABLES } from '../shared/adapters/database/tables.ts';
import type { JsonValue } from '../shared/json.ts';

const Json = z.unknown() as unknown as z.ZodType<JsonValue>; // as: what is parsed here came out of a JSON text

/** A name that is no table's is 404 and not 422, so any string passes here. */
export const TableName = z
  .string()
  .describe(`one of ${TABLES.map(({ name }) => `\`${name}\``).join(', ')}`)
  .meta({ example: 'categories_table' });

/** Columns and values; which ones fit is up to the table. */
const Item = z.record(z.string(), Json);

/** A row or what identifies one (specification, section 2.3). */
export const DatabaseItem = z
  .strictObject({
    tablename: TableName,
    item: Item.describe('columns of the row; `id` identifies it'),
  })
  .meta({ id: 'DatabaseItem', example: { tablename: 'categories_table', item: { id: 1, name: 'Moves' } } });

/** One column of a row (specification, section 2.3). */
export const UpdateRequest = z
  .strictObject({
    tablename: TableName,
    item: Item.describe('holds the `id` of the row'),
    attribute: z.string().describe('the column to change; never the key'),
    new_value: Json.refine((value) => value !== undefined, 'A value is needed; null is one.'),
  })
  .meta({
    id: 'UpdateRequest',
    example: { tablename: 'categories_table', item: { id: 1 }, attribute: 'name', new_value: 'Dances' },
  });

/** A CSV file or a folder of them (specification, section 2.3). */
export const LoadDatabase = z
  .strictObject({
    path: z
      .string()
      .default('')
      .describe('file ending in .csv, or folder for every table, inside the export folder; empty: the usual one'),
    tablename: TableName.default('').describe('table; empty: every table'),
  })
  .meta({ id: 'LoadDatabase', example: { path: 'saved/categories.csv', tablename: 'categories_table' } });

export const TableQuery = z.strictObject({ tablename: TableName });

const count = (most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'Digits only.')
    .transform(Number)
    .pipe(z.int().max(most));

export const ReadQuery = z.strictObject({
  tablename: TableName,
  limit: count(Number.MAX_SAFE_INTEGER).optional().describe('most rows; default all').meta({ example: '100' }),
  offset: count(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('rows to skip, in the order of the keys')
    .meta({ example: '0' }),
});
