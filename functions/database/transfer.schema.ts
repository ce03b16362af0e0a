import * as z from 'zod';
import { TableName } from './database.schema.ts';

const Transferred = z
  .strictObject({
    tablename: TableName,
    path: z.string().describe('relative to the export folder').meta({ example: 'categories_table.csv' }),
    rows: z.int().min(0),
  })
  .meta({ id: 'TransferredTable' });

/** One table, or a list when every table was meant. */
export const TransferAnswer = z.union([Transferred, z.array(Transferred)]);

export const DatabasePath = z
  .strictObject({
    path: z
      .string()
      .describe('SQLAlchemy-style URL')
      .meta({ example: 'sqlite:////home/robot/.robot-rest/robot.sqlite' }),
  })
  .meta({ id: 'DatabasePath' });
