import type { Generated } from 'kysely';
import { type Bit, bool, intKey, reference, str, table } from '../column.ts';

export interface NavigationTable {
  id: Generated<number>;
  name: string | null;
  favorite: Generated<Bit>;
  type: string | null;
  command_value: string | null;
  rune: string | null;
  subcategory_id: number | null;
}

export const navigation = table<NavigationTable>('navigation_table', {
  id: intKey,
  name: str,
  favorite: bool,
  type: str,
  command_value: str,
  rune: str,
  subcategory_id: reference('subcategories_table'),
});
