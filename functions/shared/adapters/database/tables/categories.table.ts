import type { Generated } from 'kysely';
import { intKey, str, table } from '../column.ts';

export interface CategoriesTable {
  id: Generated<number>;
  name: string | null;
  logo: string | null;
}

export const categories = table<CategoriesTable>('categories_table', { id: intKey, name: str, logo: str });
