import { endpoint } from '../shared/pipeline/endpoint.ts';
import { DatabaseItem } from './database.schema.ts';
import { rowNote, rowReply } from './items.ts';
import { database } from './ports.ts';
import { Row } from './row.schema.ts';
import { addItem } from './rows.ts';

/** POST /api/{version}/database/add_item/: adds a row and answers it as stored. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  input: { body: DatabaseItem },
  exactIntegers: true,
  output: Row,
  summary: 'Add a row',
  description:
    'An absent integer `id` is assigned, and none is assigned twice. Omitted columns take their default, or null.',
  audit: 'database.add',
  uses: { database },
  errors: ['unknown_table', 'already_exists', 'conflict', 'busy', 'storage_full', 'component_unavailable'],
}).handler(async ({ valid: { body }, record }, { database }) => {
  record('database.add', rowNote(body, Object.keys(body.item)));
  const row = await addItem(database, body);
  record('database.add', rowNote({ ...body, item: row }, Object.keys(body.item)));
  return rowReply(row);
});
