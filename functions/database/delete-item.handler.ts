import { endpoint } from '../shared/pipeline/endpoint.ts';
import { DatabaseItem } from './database.schema.ts';
import { rowNote, rowReply } from './items.ts';
import { database } from './ports.ts';
import { Row } from './row.schema.ts';
import { deleteItem } from './rows.ts';

/** DELETE /api/{version}/database/delete_item/: removes a row and answers it as it was. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  input: { body: DatabaseItem },
  exactIntegers: true,
  output: Row,
  summary: 'Remove a row',
  description:
    'Nothing cascades: a row that others refer to stays, and the response says how many rows of which table do.',
  audit: 'database.delete',
  uses: { database },
  errors: ['unknown_table', 'row_not_found', 'conflict', 'busy', 'storage_full', 'component_unavailable'],
}).handler(async ({ valid: { body }, record }, { database }) => {
  record('database.delete', rowNote(body));
  return rowReply(await deleteItem(database, body));
});
