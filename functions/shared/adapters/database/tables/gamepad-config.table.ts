import type { Generated } from 'kysely';
import { intKey, type JsonText, json, required, str, table } from '../column.ts';

export interface GamepadConfigTable {
  id: Generated<number>;
  name: string;
  value: string;
  prompt_name: string;
  config: JsonText | null;
}

export const gamepadConfig = table<GamepadConfigTable>('gamepad_config_table', {
  id: intKey,
  name: required(str),
  value: required(str),
  prompt_name: required(str),
  config: json,
});
