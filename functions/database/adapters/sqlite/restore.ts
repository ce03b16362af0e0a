import { copyFileSync, rmSync, statSync } from 'node:fs';
import { ServiceError } from '../../../shared/errors.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import type { Restored } from '../../port.ts';
import { TABLES, type TableName } from '../../tables.ts';
import { emptyTables, sizeOf, snapshotOfPresent } from './clear.ts';
import { keepCounting } from './ids.ts';
import { ForeignDatabase, migrate, NewerSchema, requireOurs } from './migrate.ts';
import { integrityFault } from './opening.ts';
import { anyQuery, Session } from './session.ts';
import { discardSnapshot, pruneSnapshots, snapshotPath, unfinished } from './snapshots.ts';
import type { Storage } from './thread-protocol.ts';

/**
 * Puts a snapshot in place of every table's rows, in one transaction, after a snapshot of the present, which goes
 * again if it fails. One of an older schema is brought forward on a copy. Errors: not_found; conflict for one that is
 * newer than the code or damaged; storage_full.
 */
export async function restore(session: Session, storage: Storage, name: string, now: number): Promise<Restored> {
  const snapshot = snapshotPath(storage.backupDir, name);
  const { size } = statSync(snapshot);
  // A copy to work on, its rows in the log, a snapshot of the present, and what the database grows by.
  const needed = 2 * size + Math.max(size, sizeOf(session));
  new DiskReserve(storage.minFree).assertRoom(storage.backupDir, needed);
  const copy = unfinished(storage.backupDir, 'restore');
  try {
    copyFileSync(snapshot, copy);
    await prepare(copy);
    session.prepare('ATTACH ? AS snapshot').run(copy);
    let backup: string | null = null;
    let rows: Restored['rows'];
    try {
      rows = await session.transaction(async () => {
        session.database.pragma('defer_foreign_keys = ON'); // a table of another program may refer to what comes back
        backup = await snapshotOfPresent(session, storage, now);
        return replaceRows(session);
      });
    } catch (error) {
      discardSnapshot(storage.backupDir, backup, error);
      throw asUnusable(error);
    } finally {
      session.database.exec('DETACH snapshot');
    }
    pruneSnapshots(storage.backupDir, now);
    return { rows, backup };
  } finally {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(copy + end, { force: true });
  }
}

/**
 * Checks a copy that is to be restored and brings it to the present schema. Doing so again changes nothing.
 * Error: conflict, saying why it cannot be used.
 */
export async function prepare(copy: string): Promise<void> {
  try {
    const session = Session.writing(copy);
    try {
      session.database.pragma('trusted_schema = OFF'); // it may have been sent to us
      requireOurs(session);
      const finding = integrityFault(session, copy);
      if (finding !== undefined) throw unusable(`is damaged (${finding})`);
      const migrated = await migrate(session);
      if (migrated?.from === 0 && !migrated.adopted) throw unusable('is no database of this service');
    } finally {
      session.close();
    }
  } catch (error) {
    if (error instanceof NewerSchema || error instanceof ForeignDatabase)
      throw unusable(`cannot be used: ${error.message}`, error);
    if (/^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error) ?? '')) throw unusable('is damaged', error);
    throw error;
  }
}

/** A table of another program may refer to rows that are not in the snapshot. */
export function asUnusable(error: unknown): unknown {
  if (codeOf(error) !== 'SQLITE_CONSTRAINT_FOREIGNKEY') return error;
  return unusable('lacks rows that a table of another program refers to', error);
}

function unusable(why: string, cause?: unknown): ServiceError {
  return new ServiceError('conflict', { detail: `The snapshot ${why}. Nothing was changed.`, cause });
}

/** Puts the rows of the database attached as `snapshot` in place of all rows. Call it inside a transaction. */
export function replaceRows(session: Session): Restored['rows'] {
  const tables = TABLES.map(({ name }) => name);
  emptyTables(session, tables);
  const rows = Object.fromEntries(
    TABLES.map(({ name, columns }) => {
      const names = [...Object.keys(columns), ...addedColumns(session, name, columns)];
      const source = anyQuery.withSchema('snapshot').selectFrom(name).select(names);
      return [name, session.run(anyQuery.insertInto(name).columns(names).expression(source))];
    }),
  );
  keepCounting(session, 'snapshot');
  return rows;
}

/** Columns that another program has added to a table, here as well as in the snapshot. */
function addedColumns(session: Session, table: TableName, ours: object): string[] {
  const added = session
    .prepare(
      `select name from pragma_table_xinfo(?, 'main') where hidden = 0
        intersect select name from pragma_table_xinfo(?, 'snapshot') where hidden = 0`,
    )
    .all(table, table) as Array<{ name: string }>; // as: the column of the select
  return added.map(({ name }) => name).filter((name) => !Object.hasOwn(ours, name));
}
