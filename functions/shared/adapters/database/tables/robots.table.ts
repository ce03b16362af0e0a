import type { Generated } from 'kysely';
import { intKey, str, table } from '../column.ts';

export interface RobotsTable {
  id: Generated<number>;
  name: string | null;
  body_image: string | null;
  head_image: string | null;
  color: string | null;
}

export const robots = table<RobotsTable>('robots_table', {
  id: intKey,
  name: str,
  body_image: str,
  head_image: str,
  color: str,
});
