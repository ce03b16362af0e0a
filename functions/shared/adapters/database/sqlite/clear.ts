import { KEY } from '../column.ts';
import type { Cleared, Restored, Selection } from '../port.ts';
import { TABLES } from '../tables.ts';
import { codeOf } from './failure.ts';
import { orphaning, referring } from './rows.ts';
import { query, type Session } from './session.ts';
import { pruneSnapshots, requireRoom, takeSnapshot } from './snapshots.ts';
import type { Storage } from './storage.ts';

/** Names of the selected tables, parents first. */
export function selected(selection: Selection): string[] {
  return selection === 'every' ? TABLES.map(({ name }) => name) : [selection.table];
}

/**
 * Deletes all rows of the selected tables after a snapshot, under one lock: the snapshot is exactly what was deleted.
 * Errors: conflict, storage_full; nothing is deleted then.
 */
export async function clear(session: Session, storage: Storage, selection: Selection, now: number): Promise<Cleared> {
  const tables = selected(selection);
  const cleared = await session.transaction(async () => {
    const deleted = Object.fromEntries(tables.map((table) => [table, session.count(table)]));
    if (Object.values(deleted).every((count) => count === 0)) return { deleted, backup: null };
    requireNoOrphans(session, tables);
    requireRoom(storage.backupDir, sizeOf(session), now, storage.backupMaxBytes);
    const backup = await takeSnapshot(storage.file, storage.backupDir, now);
    emptyTables(session, tables);
    return { deleted, backup };
  });
  if (cleared.backup !== null) pruneSnapshots(storage.backupDir, now);
  return cleared;
}

/** Copies what is there before it is replaced; null when nothing is. The caller holds the lock. */
export async function snapshotOfPresent(session: Session, storage: Storage, now: number): Promise<Restored['backup']> {
  const empty = TABLES.every(({ name }) => session.row(query.selectFrom(name).select(KEY).limit(1)) === undefined);
  return empty ? null : takeSnapshot(storage.file, storage.backupDir, now);
}

/** Children first, so that nothing refers to what goes. Error: conflict, when a table of another program does. */
export function emptyTables(session: Session, parentsFirst: readonly string[]): void {
  for (const table of [...parentsFirst].reverse()) {
    try {
      session.run(query.deleteFrom(table));
    } catch (error) {
      throw codeOf(error) === 'SQLITE_CONSTRAINT_FOREIGNKEY' ? orphaning(table, [], error) : error;
    }
  }
}

function requireNoOrphans(session: Session, tables: readonly string[]): void {
  for (const table of tables) {
    const others = referring(session, table).filter((reference) => !tables.includes(reference.table));
    if (others.length > 0) throw orphaning(table, others);
  }
}

/** Bytes a snapshot will have at most. */
function sizeOf(session: Session): number {
  const pragma = (name: string) => Number(session.database.pragma(name, { simple: true }));
  return pragma('page_count') * pragma('page_size');
}
