import { endpoint } from '../shared/pipeline/endpoint.ts';
import { ItemQuery } from './item-query.schema.ts';
import { rowReply } from './items.ts';
import { database } from './ports.ts';
import { Row } from './row.schema.ts';
import { readItem } from './rows.ts';

/** GET /api/{version}/database/read_item/: the row that `data` identifies by its id. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  input: { query: ItemQuery },
  output: Row,
  summary: 'Read one row',
  uses: { database },
  errors: ['unknown_table', 'row_not_found', 'component_unavailable'],
}).handler(async ({ valid }, { database }) => rowReply(await readItem(database, valid.query.data)));
