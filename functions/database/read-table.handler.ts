import { endpoint } from '../shared/pipeline/endpoint.ts';
import { Reply } from '../shared/pipeline/reply.ts';
import { ReadQuery } from './database.schema.ts';
import { database } from './ports.ts';
import { Rows } from './row.schema.ts';
import { readRows } from './rows.ts';

/** GET /api/{version}/database/read/: the rows of a table in the order of their keys, streamed. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  input: { query: ReadQuery },
  output: Rows,
  answerHeaders: ['X-Total-Count'],
  summary: 'Read the rows of a table',
  description:
    'All rows come from one state of the table. The header `X-Total-Count` is the number of rows of the whole table.',
  uses: { database },
  errors: ['unknown_table', 'busy', 'component_unavailable'],
}).handler(async ({ valid, caller, signal }, { database }) => {
  const { total, body } = await readRows(database, valid.query, { signal, owner: caller.keyId });
  return new Reply(body, { 'content-type': 'application/json', 'x-total-count': String(total) });
});
