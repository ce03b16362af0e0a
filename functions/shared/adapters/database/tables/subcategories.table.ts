import type { Generated } from 'kysely';
import { type Bit, bool, intKey, reference, str, table } from '../column.ts';

export interface SubcategoriesTable {
  id: Generated<number>;
  name: string | null;
  logo: string | null;
  category_id: number | null;
  local: Generated<Bit>;
}

export const subcategories = table<SubcategoriesTable>('subcategories_table', {
  id: intKey,
  name: str,
  logo: str,
  category_id: reference('categories_table'),
  local: bool,
});
