import { endpoint } from '../shared/pipeline/endpoint.ts';
import { GamepadConfigModel } from './gamepad-config.schema.ts';
import { rowNote, rowReply } from './items.ts';
import { database } from './ports.ts';
import { Row } from './row.schema.ts';
import { updateControllerConfig } from './rows.ts';

/** PUT /api/{version}/database/update_controller_config/: sets a controller's name, prompt and buttons. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  input: { body: GamepadConfigModel },
  exactIntegers: true,
  output: Row,
  summary: 'Update a controller configuration',
  description: 'Sets name, prompt_name and config of the row with this id in gamepad_config_table; value stays.',
  audit: 'database.update',
  uses: { database },
  errors: ['row_not_found', 'busy', 'storage_full', 'component_unavailable'],
}).handler(async ({ valid: { body }, record }, { database }) => {
  const named = { tablename: 'gamepad_config_table', item: { id: body.id } };
  record('database.update', rowNote(named, ['name', 'prompt_name', 'config']));
  return rowReply(await updateControllerConfig(database, body));
});
