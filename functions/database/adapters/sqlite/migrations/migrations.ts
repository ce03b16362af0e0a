import type { Session } from '../session.ts';
import { fifteenTables } from './001-fifteen-tables.ts';
import { jsonOrNull } from './002-json-or-null.ts';
import { idCounters } from './003-id-counters.ts';

/** The statements of a step; the session is there to look, and not to write. */
export type Migration = (session: Session) => readonly string[];

/** The n-th entry brings a database from version n to n + 1. Entries are only ever added. */
export const MIGRATIONS: readonly Migration[] = [
  () => fifteenTables().map((table) => table.compile().sql),
  jsonOrNull,
  idCounters,
];
