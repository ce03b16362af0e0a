import type { Generated } from 'kysely';
import { type Bit, bool, intKey, reference, str, table } from '../column.ts';

export interface AnimationsTable {
  id: Generated<number>;
  name: string | null;
  favorite: Generated<Bit>;
  type: string | null;
  image: string | null;
  video: string | null;
  command_value: string | null;
  subcategory_id: number | null;
  robot_id: number | null;
}

export const animations = table<AnimationsTable>('animations_table', {
  id: intKey,
  name: str,
  favorite: bool,
  type: str,
  image: str,
  video: str,
  command_value: str,
  subcategory_id: reference('subcategories_table'),
  robot_id: reference('robots_table'),
});
