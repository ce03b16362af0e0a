import { endpoint } from '../shared/pipeline/endpoint.ts';
import { Reply } from '../shared/pipeline/reply.ts';
import { readCsv } from './csv-tables.ts';
import { database } from './ports.ts';
import { TablePath } from './table.schema.ts';

/** GET /api/v2/database/tables/{table}.csv: a table as CSV, streamed. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  input: { path: TablePath },
  output: { mediaTypes: ['text/csv'] },
  answerHeaders: ['X-Total-Count'],
  summary: 'Download a table as CSV',
  description:
    'RFC 4180, in UTF-8 with a header line; NULL is an empty field, the empty string `""`. All rows come from one state of the table, in the order of their keys.',
  uses: { database },
  errors: ['unknown_table', 'busy', 'component_unavailable'],
}).handler(async ({ valid: { path }, caller, signal }, { database }) => {
  const { name, total, body } = await readCsv(database, path.table, { signal, owner: caller.keyId });
  return new Reply(body, {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${name}.csv"`,
    'x-total-count': String(total),
  });
});
