import type { Generated } from 'kysely';
import { type Bit, bool, intKey, type JsonText, json, reference, required, str, table } from '../column.ts';

export interface SkillsTable {
  id: Generated<number>;
  name: string | null;
  favorite: Generated<Bit>;
  type: string | null;
  swapable: Generated<Bit>;
  value: JsonText;
  side: string | null;
  description: JsonText;
  access_level: string | null;
  subcategory_id: number | null;
}

export const skills = table<SkillsTable>('skills_table', {
  id: intKey,
  name: str,
  favorite: bool,
  type: str,
  swapable: bool,
  value: required(json),
  side: str,
  description: required(json),
  access_level: str,
  subcategory_id: reference('subcategories_table'),
});
