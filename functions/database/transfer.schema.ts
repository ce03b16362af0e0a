import * as z from 'zod';
import { documentedAs } from '../shared/documented.ts';

/** What became of one table. */
export const TransferredTable = z
  .strictObject({
    tablename: z.string(),
    path: z.string().describe('relative to the export folder').meta({ example: 'categories_table.csv' }),
    rows: z.int().min(0),
  })
  .meta({ id: 'TransferredTable' });
export type Transferred = Readonly<z.infer<typeof TransferredTable>>;

/** Generators of clients cannot take what is now an object and now a list. */
export const TransferAnswer = z.union([TransferredTable, z.array(TransferredTable)]).meta({
  description: 'a `TransferredTable`, or a list of them if every table was selected',
  ...documentedAs({}),
});

export const ExportPath = z.object({
  filepath: z
    .string()
    .max(4096)
    .describe('path inside the export folder, as in the list of exports; may contain slashes')
    .meta({ example: 'saved/categories.csv' }),
});

export const ExportedFile = z
  .strictObject({
    path: z.string().describe('relative to the export folder').meta({ example: 'monday/robots_table.csv' }),
    size: z.int().min(0).describe('bytes'),
    modified_at: z.iso.datetime().describe('RFC 3339'),
  })
  .meta({ id: 'ExportedFile' });
export type ExportedFile = Readonly<z.infer<typeof ExportedFile>>;

export const ExportList = z
  .strictObject({
    exports: z.array(ExportedFile),
    size: z.int().min(0).describe('total size in bytes'),
    max_size: z.int().min(0).describe('maximum total size in bytes (SERVICE_EXPORT_MAX_BYTES)'),
  })
  .meta({ id: 'ExportList' });
export type Exports = Readonly<z.infer<typeof ExportList>>;

export const DatabasePath = z
  .strictObject({
    path: z
      .string()
      .describe('SQLAlchemy-style URL')
      .meta({ example: 'sqlite:////home/robot/.robot-rest/robot.sqlite' }),
  })
  .meta({ id: 'DatabasePath' });
