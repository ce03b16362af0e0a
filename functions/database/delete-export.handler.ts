import { OPERATORS } from '../shared/access.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { database } from './ports.ts';
import { ExportedFile, ExportPath } from './transfer.schema.ts';

/** DELETE /api/v2/database/exports/{filepath}: removes a CSV file of the export folder. ADMIN or ENCHANTER. */
export const handler = endpoint({
  access: OPERATORS,
  input: { path: ExportPath },
  output: ExportedFile,
  summary: 'Delete a CSV export',
  description: 'Returns the deleted file. Folders that become empty are deleted as well.',
  audit: 'database.delete_export',
  uses: { database },
  errors: ['not_found', 'component_unavailable'],
}).handler(({ valid: { path }, record }, { database }) => {
  record('database.delete_export', { path: path.filepath.slice(0, 256) });
  return database.removeExport(path.filepath);
});
