import { endpoint } from '../shared/pipeline/endpoint.ts';
import { UpdateRequest } from './database.schema.ts';
import { rowNote, rowReply } from './items.ts';
import { database } from './ports.ts';
import { Row } from './row.schema.ts';
import { updateItem } from './rows.ts';

/** PUT /api/{version}/database/update_item/: changes one column and answers the row as changed. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  input: { body: UpdateRequest },
  exactIntegers: true,
  output: Row,
  summary: 'Update one column of a row',
  audit: 'database.update',
  uses: { database },
  errors: ['unknown_table', 'row_not_found', 'conflict', 'busy', 'storage_full', 'component_unavailable'],
}).handler(async ({ valid: { body }, record }, { database }) => {
  record('database.update', rowNote(body, [body.attribute]));
  return rowReply(await updateItem(database, body));
});
