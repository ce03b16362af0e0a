import { str, strKey, table } from '../column.ts';

export interface KnownRunesTable {
  id: string;
  virtual_id: string | null;
  label: string | null;
  description: string | null;
  class_: string | null;
}

export const knownRunes = table<KnownRunesTable>('known_runes_table', {
  id: strKey,
  virtual_id: str,
  label: str,
  description: str,
  class_: str,
});
