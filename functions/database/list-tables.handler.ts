import { endpoint } from '../shared/pipeline/endpoint.ts';
import { listTables } from './csv-tables.ts';
import { database } from './ports.ts';
import { TableList } from './table.schema.ts';

/** GET /api/v2/database/tables/: the tables with their columns and numbers of rows. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  output: TableList,
  summary: 'List the tables',
  description: 'With their columns, and how many rows each has. All numbers come from one state of the database.',
  uses: { database },
  errors: ['component_unavailable'],
}).handler((_call, { database }) => listTables(database));
