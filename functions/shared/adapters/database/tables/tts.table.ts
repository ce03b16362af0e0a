import type { Generated } from 'kysely';
import { type Bit, bool, intKey, type JsonText, json, reference, str, table, withDefault } from '../column.ts';

export interface TtsTable {
  id: Generated<number>;
  type: string | null;
  name: Generated<JsonText>;
  sentences: Generated<JsonText>;
  local: Generated<Bit>;
  favorite: Generated<Bit>;
  robot_id: number | null;
  subcategory_id: number | null;
}

export const tts = table<TtsTable>('tts_table', {
  id: intKey,
  type: str,
  name: withDefault(json, {}),
  sentences: withDefault(json, {}),
  local: bool,
  favorite: bool,
  robot_id: reference('robots_table'),
  subcategory_id: reference('subcategories_table'),
});
