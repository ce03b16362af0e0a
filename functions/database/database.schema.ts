import * as z from 'zod';
import { Json } from '../shared/kit/json.schema.ts';
import { queryInteger } from '../shared/query-types.ts';
import { rowModelName } from './row.schema.ts';
import { TABLES } from './tables.ts';

/** Any string passes, because an unknown table is 404 and not 422; the document lists the existing names. */
export const TableName = z
  .string()
  .meta({ id: 'TableName', example: 'categories_table', override: { enum: TABLES.map(({ name }) => name) } });

const ROW_MODELS_RULE = `Its model follows from the table: ${TABLES.map((table) => `\`${rowModelName(table)}\``).join(
  ', ',
)}`;

/** Columns and values; which ones fit is up to the table. */
const Item = z.record(z.string(), Json);

/** A row or what identifies one (specification, section 2.3). */
export const DatabaseItem = z
  .strictObject({
    tablename: TableName,
    item: Item.describe(`columns of the row; \`id\` identifies it. ${ROW_MODELS_RULE}`),
  })
  .meta({ id: 'DatabaseItem', example: { tablename: 'categories_table', item: { id: 1, name: 'Moves' } } });

/** One column of a row (specification, section 2.3). */
export const UpdateRequest = z
  .strictObject({
    tablename: TableName,
    item: Item.describe('contains the `id` of the row'),
    attribute: z.string().describe('the column to change; never the key'),
    new_value: Json.refine(
      (value) => value !== undefined,
      '"new_value" is required: add it to the JSON body; null is a value.',
    ),
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
      .describe('file ending in .csv, or folder for every table, inside the export folder; empty: the default'),
    tablename: TableName.default('').describe('table; absent or empty: every table'),
  })
  .meta({ id: 'LoadDatabase', example: { path: 'saved/categories.csv', tablename: 'categories_table' } });

export const TableQuery = z.strictObject({ tablename: TableName });

const count = (description: string, example: number) =>
  queryInteger({ description, example, minimum: 0, maximum: 999_999_999_999_999 });

export const ReadQuery = z.strictObject({
  tablename: TableName,
  limit: count('most rows; absent: all', 100),
  offset: count('rows to skip, in the order of the keys', 0),
});
