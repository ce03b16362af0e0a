import type { Generated } from 'kysely';
import { type Bit, bool, int, intKey, str, table } from '../column.ts';

export interface CustomizedPromptsTable {
  id: Generated<number>;
  name: string | null;
  prompt: string | null;
  selected: Generated<Bit>;
  order: number | null;
}

export const customizedPrompts = table<CustomizedPromptsTable>('customized_prompts_table', {
  id: intKey,
  name: str,
  prompt: str,
  selected: bool,
  order: int,
});
