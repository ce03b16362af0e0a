import type { Generated } from 'kysely';
import { str, strKey, table, withDefault } from '../column.ts';

export interface KnownLocationsTable {
  id: string;
  color: Generated<string>;
}

export const knownLocations = table<KnownLocationsTable>('known_locations_table', {
  id: strKey,
  color: withDefault(str, '#2196f3'),
});
