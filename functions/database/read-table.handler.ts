import { endpoint } from '../shared/middleware/endpoint.ts';
import { Reply } from '../shared/middleware/reply.ts';
import { database } from '../shared/ports.ts';
import { ReadQuery } from './database.schema.ts';
import { Rows } from './row.schema.ts';
import { readRows } from './rows.ts';

/** GET /api/{version}/database/read/: the rows of a table in the order of their keys, streamed. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  input: { query: ReadQuery },
  output: Rows,
  summary: 'Read the rows of a table',
  description:
    'All rows come out of one state of the table. The header `X-Total-Count` has the rows of the whole table.',
  uses: { database },
  errors: ['unknown_table', 'busy', 'component_unavailable'],
}).handler(async ({ valid, caller, signal }, { database }) => {
  const { total, body } = await readRows(database, valid.query, { signal, owner: caller.keyId });
  return new Reply(body, { 'content-type': 'application/json', 'x-total-count': String(total) });
});
