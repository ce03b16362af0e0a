import { closeSync, lstatSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { ServiceError } from '../../../shared/errors.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { sweep } from '../../../shared/kit/files/leftovers.ts';
import { syncPath } from '../../../shared/kit/files/replace-file.ts';
import type { Snapshot } from '../../port.ts';
import { Session } from './session.ts';
import { sameContent } from './snapshot-file.ts';

const NAME = /^snapshot-(\d{6,12})-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.sqlite$/;
/** Of a snapshot that was sent to the service under a name of its own. */
const GIVEN_NAME = /^snapshot-[A-Za-z0-9-]{1,64}\.sqlite$/;
const PAGES_A_STEP = 2_000;
const MIN_KEPT = 10;
const MIN_KEPT_MS = 7 * 24 * 3_600_000;

interface Found extends Snapshot {
  readonly number: number;
}

/** The snapshots in the folder, newest first by their number: a robot's clock may have stood wrong. */
export function listSnapshots(folder: string): Found[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const stats = GIVEN_NAME.test(name) ? lstatSync(join(folder, name), { throwIfNoEntry: false }) : undefined;
      if (!stats?.isFile()) return [];
      const { number, created_at } = taken(name) ?? { number: 0, created_at: stats.mtime.toISOString() };
      return [{ name, created_at, size: stats.size, number }];
    })
    .sort((a, b) => b.number - a.number || (a.created_at < b.created_at ? 1 : -1));
}

/** What the name of a snapshot that the service has taken says; undefined for another name, or no such time. */
function taken(name: string): { readonly number: number; readonly created_at: string } | undefined {
  const [match, number, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  const created_at = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
  return match === undefined || Number.isNaN(Date.parse(created_at))
    ? undefined
    : { number: Number(number), created_at };
}

/** Clears away what a killed service left half written, and nothing that another one is still at work on. */
export function removeUnfinished(folder: string): void {
  for (const what of ['snapshot', 'restore', 'upload']) sweep(folder, `unfinished-${what}-`);
}

/** Where this process puts together what is not to be listed yet; one snapshot or restore runs at a time. */
export const unfinished = (folder: string, what: 'snapshot' | 'restore'): string =>
  join(folder, `unfinished-${what}-${process.pid}.sqlite`);

/**
 * Copies the database as it is into the folder, through a connection of its own: the caller holds the write lock, so
 * that nothing changes between the copy and what the caller does next.
 * @returns the name of the snapshot, which is on the disk as a whole or not at all.
 */
export async function takeSnapshot(file: string, folder: string, now: number): Promise<string> {
  const temporary = unfinished(folder, 'snapshot');
  rmSync(temporary, { force: true });
  closeSync(openSync(temporary, 'wx', 0o600));
  try {
    const source = Session.reading(file);
    try {
      await source.database.backup(temporary, { progress: () => PAGES_A_STEP });
    } finally {
      source.close();
    }
    standAlone(temporary);
    const number = (listSnapshots(folder)[0]?.number ?? 0) + 1;
    const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
    const name = `snapshot-${String(number).padStart(6, '0')}-${stamp}.sqlite`;
    renameSync(temporary, join(folder, name));
    syncPath(folder);
    return name;
  } catch (error) {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(temporary + end, { force: true });
    throw error;
  }
}

/**
 * As {@link takeSnapshot}; where nothing has changed since the newest snapshot, that one. A start that is killed over and
 * over must not fill the disk.
 */
export async function takeSnapshotOnce(file: string, folder: string, now: number): Promise<string> {
  const newest = listSnapshots(folder)[0]?.name;
  const taken = await takeSnapshot(file, folder, now);
  if (newest === undefined || !sameContent(join(folder, newest), join(folder, taken))) return taken;
  rmSync(join(folder, taken));
  return newest;
}

/**
 * Removes the snapshot before a change that failed, which would fill the disk with copies of what is still there. After an
 * I/O error nobody knows what is on the disk, so it stays.
 */
export function discardSnapshot(folder: string, name: string | null, failure: unknown): void {
  if (name !== null && !codeOf(failure)?.startsWith('SQLITE_IOERR')) rmSync(join(folder, name), { force: true });
}

/** A copy of a WAL database asks for two more files beside it; a snapshot is one file that any program can open. */
function standAlone(file: string): void {
  const copy = new Database(file);
  try {
    copy.pragma('journal_mode = DELETE');
  } finally {
    copy.close();
  }
  syncPath(file);
}

/**
 * Refuses a snapshot for which there is no room. Young ones are never removed to make room for another, so nobody can
 * push a good snapshot out by clearing in a loop. Error: storage_full.
 */
export function requireRoom(folder: string, coming: number, now: number, maxBytes: number): void {
  const young = listSnapshots(folder).filter((snapshot) => isYoung(snapshot, now));
  if (young.reduce((sum, { size }) => sum + size, coming) <= maxBytes) return;
  throw new ServiceError('storage_full', {
    detail: `The snapshots of the last 7 days fill the ${maxBytes} bytes of SERVICE_BACKUP_MAX_BYTES, and a snapshot comes first. Nothing was changed. Delete or change rows one by one, raise the setting, or wait.`,
  });
}

/** Keeps the newest ten and everything younger than seven days. */
export function pruneSnapshots(folder: string, now: number): void {
  for (const snapshot of listSnapshots(folder).slice(MIN_KEPT)) {
    if (!isYoung(snapshot, now)) rmSync(join(folder, snapshot.name), { force: true });
  }
}

function isYoung({ created_at }: Snapshot, now: number): boolean {
  return now - Date.parse(created_at) < MIN_KEPT_MS;
}

/** The path of a snapshot in the list; the name is never used for anything else. Error: not_found. */
export function snapshotPath(folder: string, name: string): string {
  const found = listSnapshots(folder).find((snapshot) => snapshot.name === name);
  if (found) return join(folder, found.name);
  throw new ServiceError('not_found', {
    detail: 'There is no such snapshot. GET /api/v2/database/backups/ lists the names.',
  });
}
