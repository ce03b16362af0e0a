import { OPERATORS } from '../shared/access.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { database } from './ports.ts';
import { ExportList } from './transfer.schema.ts';

/** GET /api/v2/database/exports/: the CSV files in the export folder. ADMIN or ENCHANTER. */
export const handler = endpoint({
  access: OPERATORS,
  output: ExportList,
  summary: 'List the CSV exports',
  description:
    'With their paths, including those in folders, and how much of the quota they use. DELETE on a path removes that export.',
  uses: { database },
  errors: ['component_unavailable'],
}).handler((_call, { database }) => database.exports());
