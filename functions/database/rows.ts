import type * as z from 'zod';
import type { JsonObject } from '../shared/kit/json.ts';
import { invalid } from '../shared/pipeline/parse-input.ts';
import { KEY } from './column.ts';
import type { DatabaseItem, UpdateRequest } from './database.schema.ts';
import type { GamepadConfigModel } from './gamepad-config.schema.ts';
import { found, keyOf, newRow, presented, storable, tableNamed } from './items.ts';
import type { Page, Requester, RobotDatabase, RowStream } from './port.ts';

type NamedItem = z.infer<typeof DatabaseItem>;

/** The rows of a table, as they are taken. Errors: unknown_table, busy. */
export function readRows(
  database: RobotDatabase,
  { tablename, ...page }: Page & { readonly tablename: string },
  requester: Requester,
): Promise<RowStream> {
  return database.readRows(tableNamed(tablename).name, page, requester);
}

/** The row an item identifies. Errors: unknown_table, validation_failed, row_not_found. */
export async function readItem(database: RobotDatabase, { tablename, item }: NamedItem): Promise<JsonObject> {
  const table = tableNamed(tablename);
  const key = keyOf(table, item, 'query:data');
  return found(table, key, await database.readRow(table.name, key));
}

/** Adds a row; the row as stored. Errors: unknown_table, validation_failed, already_exists, conflict. */
export async function addItem(database: RobotDatabase, { tablename, item }: NamedItem): Promise<JsonObject> {
  const table = tableNamed(tablename);
  return presented(table, await database.insert(table.name, newRow(table, item)));
}

/** Removes a row; the row as it was. Errors: unknown_table, validation_failed, row_not_found, conflict. */
export async function deleteItem(database: RobotDatabase, { tablename, item }: NamedItem): Promise<JsonObject> {
  const table = tableNamed(tablename);
  const key = keyOf(table, item, '/item');
  return found(table, key, await database.remove(table.name, key));
}

/** Changes one column of a row; the row as changed. Errors: unknown_table, validation_failed, row_not_found, conflict. */
export async function updateItem(database: RobotDatabase, update: z.infer<typeof UpdateRequest>): Promise<JsonObject> {
  const table = tableNamed(update.tablename);
  const { attribute } = update;
  const key = keyOf(table, update.item, '/item');
  if (!Object.hasOwn(table.columns, attribute))
    throw invalid([
      {
        pointer: '/attribute',
        message: `${JSON.stringify(attribute.slice(0, 64))} is no column of ${table.name}.`,
      },
    ]);
  if (attribute === KEY)
    throw invalid([{ pointer: '/attribute', message: 'The key of a row does not change; add a new row instead.' }]);
  const changes = storable(table, { [attribute]: update.new_value }, '/new_value');
  return found(table, key, await database.update(table.name, key, changes));
}

/** Sets name, prompt_name and config of a controller and leaves its value. Errors: validation_failed, row_not_found. */
export async function updateControllerConfig(
  database: RobotDatabase,
  { id, name, prompt_name, config }: z.infer<typeof GamepadConfigModel>,
): Promise<JsonObject> {
  const table = tableNamed('gamepad_config_table');
  const changes = storable(table, { name, prompt_name, config }, '');
  return found(table, id, await database.update(table.name, id, changes));
}
