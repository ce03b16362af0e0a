import type { Generated } from 'kysely';
import { type Bit, bool, int, intKey, reference, str, table } from '../column.ts';

export interface GraspingTable {
  id: Generated<number>;
  name: string | null;
  favorite: Generated<Bit>;
  type: string | null;
  command_value: string | null;
  rune: string | null;
  function: string | null;
  access_level: string | null;
  couple_id: number | null;
  subcategory_id: number | null;
}

export const grasping = table<GraspingTable>('grasping_table', {
  id: intKey,
  name: str,
  favorite: bool,
  type: str,
  command_value: str,
  rune: str,
  function: str,
  access_level: str,
  couple_id: int,
  subcategory_id: reference('subcategories_table'),
});
