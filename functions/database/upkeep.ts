import type * as z from 'zod';
import { OPERATORS } from '../shared/access.ts';
import type { LoadDatabase } from './database.schema.ts';
import { tableNamed } from './items.ts';
import type { Requester, RobotDatabase, Selection, Snapshot, Transferred } from './port.ts';

/** An empty `tablename` means every table. */
type Load = z.infer<typeof LoadDatabase>;

/** Deletes all rows of a table, after a snapshot. Errors: unknown_table, conflict, storage_full. */
export async function clearTable(database: RobotDatabase, tablename: string) {
  const table = tableNamed(tablename).name;
  const { deleted, backup } = await database.clear({ table });
  return { tablename: table, deleted: deleted[table] ?? 0, backup, undo: wayToUndo(backup) };
}

/** Deletes all rows of every table, after a snapshot. Error: storage_full. */
export async function clearDatabase(database: RobotDatabase) {
  const { deleted, backup } = await database.clear('every');
  return { deleted, backup, undo: wayToUndo(backup) };
}

/** Any token may clear, but only some may restore: says whose. */
function wayToUndo(backup: string | null): string | null {
  if (backup === null) return null;
  const who = [...OPERATORS].sort().join(' or ');
  return `An ${who} can undo this: POST database/restore/ with {"backup":"${backup}"}.`;
}

/** Writes a table, or every table, as CSV. Errors: unknown_table, validation_failed, busy, storage_full. */
export async function exportTable(database: RobotDatabase, { path, tablename }: Load, requester: Requester) {
  return oneOrAll(tablename, await database.exportTables(selectionOf(tablename), path, requester));
}

/** Reads CSV into a table, or every table, all or nothing. Errors: see {@link RobotDatabase.importTables}. */
export async function importTable(database: RobotDatabase, { path, tablename }: Load, requester: Requester) {
  return oneOrAll(tablename, await database.importTables(selectionOf(tablename), path, requester));
}

/** The snapshots, newest first. */
export async function listBackups(database: RobotDatabase): Promise<{ backups: Snapshot[] }> {
  return { backups: await database.snapshots() };
}

/** Puts a snapshot in place of what is there. Errors: not_found, conflict, busy. */
export async function restoreBackup(database: RobotDatabase, name: string, requester: Requester) {
  return { restored: name, ...(await database.restore(name, requester)) };
}

function selectionOf(tablename: string): Selection {
  return tablename === '' ? 'every' : { table: tableNamed(tablename).name };
}

function oneOrAll(tablename: string, transferred: Transferred[]): Transferred | Transferred[] {
  return tablename === '' ? transferred : (transferred[0] ?? transferred);
}
