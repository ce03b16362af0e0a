import type { Generated } from 'kysely';
import { type Bit, bool, str, strKey, table, withDefault } from '../column.ts';

export interface RoutesTable {
  id: string;
  color: Generated<string>;
  visible: Generated<Bit>;
}

export const routes = table<RoutesTable>('routes_table', {
  id: strKey,
  color: withDefault(str, '#9c27b0'),
  visible: withDefault(bool, true),
});
