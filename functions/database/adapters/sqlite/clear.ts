import { codeOf } from '../../../shared/kit/error-code.ts';
import { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import { KEY } from '../../column.ts';
import type { Cleared, Restored, Selection } from '../../port.ts';
import { TABLES, type TableName } from '../../tables.ts';
import { orphaning, referring } from './rows.ts';
import { query, type Session } from './session.ts';
import { discardSnapshot, pruneSnapshots, requireRoom, takeSnapshot } from './snapshots.ts';
import type { Storage } from './thread-protocol.ts';
import type { LogKeeper } from './write-ahead-log.ts';

/** Pages that a deleted row changes, at most; there are never more than the database has. */
const PAGES_OF_A_DELETE = 16;

export interface Writing {
  readonly session: Session;
  readonly storage: Storage;
  readonly log: LogKeeper;
}

/** Names of the selected tables, parents first. */
export function selected(selection: Selection): TableName[] {
  return selection === 'every' ? TABLES.map(({ name }) => name) : [selection.table];
}

/**
 * Deletes all rows of the selected tables after a snapshot, under one lock: the snapshot is exactly what was deleted.
 * Errors: conflict, storage_full; nothing is deleted then, and no snapshot stays.
 */
export async function clear({ session, storage, log }: Writing, selection: Selection, now: number): Promise<Cleared> {
  const tables = selected(selection);
  const total = tables.reduce((sum, table) => sum + session.count(table), 0);
  const logBytes = log.missingForPages(Math.min(PAGES_OF_A_DELETE * total, session.numberOf('page_count')));
  let backup: string | null = null;
  const emptied = session.transaction(async () => {
    const deleted = Object.fromEntries(tables.map((table) => [table, session.count(table)]));
    if (Object.values(deleted).every((count) => count === 0)) return deleted;
    requireNoOrphans(session, tables);
    const coming = sizeOf(session);
    requireRoom(storage.backupDir, coming, now, storage.backupMaxBytes);
    new DiskReserve(storage.minFree).assertRoom(storage.backupDir, coming + logBytes);
    backup = await takeSnapshot(storage.file, storage.backupDir, now);
    emptyTables(session, tables);
    return deleted;
  });
  const deleted = await emptied.catch((error: unknown) => {
    discardSnapshot(storage.backupDir, backup, error);
    throw error;
  });
  if (backup !== null) pruneSnapshots(storage.backupDir, now);
  return { deleted, backup };
}

/** Copies what is there, because somebody wants a copy. Error: storage_full. */
export async function snapshotNow({ session, storage }: Writing, now: number): Promise<string> {
  const { backupDir, backupMaxBytes, file, minFree } = storage;
  const coming = sizeOf(session);
  requireRoom(backupDir, coming, now, backupMaxBytes);
  new DiskReserve(minFree).assertRoom(backupDir, coming);
  const name = await session.transaction(() => takeSnapshot(file, backupDir, now));
  pruneSnapshots(backupDir, now);
  return name;
}

/** Copies what is there before it is replaced; null when nothing is. The caller holds the lock. */
export async function snapshotOfPresent(session: Session, storage: Storage, now: number): Promise<Restored['backup']> {
  const empty = TABLES.every(({ name }) => session.row(query.selectFrom(name).select(KEY).limit(1)) === undefined);
  return empty ? null : takeSnapshot(storage.file, storage.backupDir, now);
}

/** Children first, so that nothing refers to what goes. Error: conflict, when a table of another program does. */
export function emptyTables(session: Session, parentsFirst: readonly TableName[]): void {
  for (const table of [...parentsFirst].reverse()) {
    try {
      session.run(query.deleteFrom(table));
    } catch (error) {
      throw codeOf(error) === 'SQLITE_CONSTRAINT_FOREIGNKEY' ? orphaning(table, [], error) : error;
    }
  }
}

function requireNoOrphans(session: Session, tables: readonly TableName[]): void {
  for (const table of tables) {
    const others = referring(session, table).filter((reference) => !tables.includes(reference.table));
    if (others.length > 0) throw orphaning(table, others);
  }
}

/** Bytes a snapshot will have at most. */
export function sizeOf(session: Session): number {
  return session.numberOf('page_count') * session.numberOf('page_size');
}
