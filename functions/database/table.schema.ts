import * as z from 'zod';
import { Json } from '../shared/kit/json.schema.ts';
import { queryFlag } from '../shared/query-types.ts';
import { SnapshotName } from './backup.schema.ts';
import { TableName } from './database.schema.ts';

const Reference = z.strictObject({ table: z.string(), column: z.string() }).meta({ id: 'ColumnReference' });

const TableColumn = z
  .strictObject({
    name: z.string(),
    type: z.enum(['int', 'str', 'bool', 'json']),
    nullable: z.boolean(),
    default: Json.describe('what an absent value becomes; null without one'),
    references: Reference.nullable().describe('the column in which a value must exist'),
  })
  .meta({ id: 'TableColumn' });

export const TableList = z
  .strictObject({
    tables: z.array(
      z
        .strictObject({ name: z.string(), rows: z.int().min(0), columns: z.array(TableColumn) })
        .meta({ id: 'TableSummary' }),
    ),
  })
  .meta({ id: 'TableList' });
export type TableList = z.input<typeof TableList>;

export const TablePath = z.object({ table: TableName });

export const UploadQuery = z.strictObject({
  dry_run: queryFlag({ description: 'check the file and count what it would change; nothing is changed' }),
});

const count = (what: string) => z.int().min(0).describe(what);

export const UploadedTable = z
  .strictObject({
    inserted: count('rows whose key the table did not have'),
    updated: count('rows that the file changed'),
    unchanged: count('rows of the file that the table had just so'),
    backup: SnapshotName.nullable().describe('snapshot of the previous content; null if nothing was changed, or empty'),
  })
  .meta({ id: 'UploadedTable' });
export type Uploaded = Readonly<z.infer<typeof UploadedTable>>;
