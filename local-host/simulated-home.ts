import { text } from 'node:stream/consumers';
import type { RobotDatabase } from '../functions/database/port.ts';
import type { TableName } from '../functions/database/tables.ts';
import type { KnownRune, SimulatedHome } from '../functions/shared/robot-link/simulated-home.ts';

/** Most rows of a table that the simulated robot knows. */
const MAX_ROWS = 1_000;
const NEVER = new AbortController().signal;

interface Row {
  readonly id: string;
  readonly label?: string | null;
}

/**
 * The home of the simulated robot as its tables describe it. A table is read again only after a write.
 * @param open errors surface with the question.
 */
export function homeInTables(open: () => Promise<RobotDatabase>): SimulatedHome {
  const locations = rowsOf(open, 'known_locations_table', ({ id }): string => id);
  const runes = rowsOf(open, 'known_runes_table', ({ id, label }): KnownRune => ({ id, label: label ?? id }));
  return { speaker: { percent: 50, muted: false }, locations, runes };
}

function rowsOf<T>(open: () => Promise<RobotDatabase>, table: TableName, toKnown: (row: Row) => T) {
  let known: { readonly database: RobotDatabase; readonly writes: number; readonly rows: readonly T[] } | undefined;

  async function read(): Promise<readonly T[]> {
    const database = await open();
    const { writes } = database;
    const { body } = await database.readRows(table, { limit: MAX_ROWS }, { signal: NEVER, owner: 'simulated robot' });
    const rows = (JSON.parse(await text(body)) as Row[]).map(toKnown); // as: both tables have these columns
    known = { database, writes, rows };
    return rows;
  }

  return () => (known && known.database.writes === known.writes ? known.rows : read());
}
