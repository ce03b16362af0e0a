import type { Generated } from 'kysely';
import { intKey, reference, str, table, withDefault } from '../column.ts';

export interface RunesTable {
  id: Generated<number>;
  name: string | null;
  command_name: string | null;
  simple_click: Generated<string>;
  double_click: Generated<string>;
  long_press: Generated<string>;
  access_level: string | null;
  subcategory_id: number | null;
}

const click = withDefault(str, 'Nothing.');

export const runes = table<RunesTable>('runes_table', {
  id: intKey,
  name: str,
  command_name: str,
  simple_click: click,
  double_click: click,
  long_press: click,
  access_level: str,
  subcategory_id: reference('subcategories_table'),
});
