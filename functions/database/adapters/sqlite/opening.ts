import { chmodSync, closeSync, openSync, rmSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { unavailable } from '../../../shared/errors.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { makePrivateFolder } from '../../../shared/kit/files/replace-file.ts';
import { ForeignDatabase, type Migrated, migrate, NewerSchema, requireOurs, SCHEMA_VERSION } from './migrate.ts';
import { Session } from './session.ts';
import { schemaVersionIn } from './snapshot-file.ts';
import { listSnapshots, pruneSnapshots, removeUnfinished, snapshotPath, takeSnapshotOnce } from './snapshots.ts';

/** Up to this size, in bytes, every index is compared with its table; beyond it that would hold up the start. */
const THOROUGH_UP_TO = 64 * 1024 * 1024;
const MAX_LISTED = 10;
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;

export interface Opened {
  readonly session: Session;
  /** What was done to bring the schema up to date, or undefined. */
  readonly migrated: Migrated | undefined;
}

/**
 * Opens the database for writing: makes what is missing, checks its integrity, brings its schema up to date after a
 * snapshot. Error: component_unavailable, saying what to do.
 */
export async function openForWriting(file: string, backupDir: string, now: number): Promise<Opened> {
  try {
    prepareFile(file);
    makePrivateFolder(backupDir);
    removeUnfinished(backupDir);
  } catch (error) {
    throw unavailable(
      'database',
      `Its file or folder cannot be made (${codeOf(error)}). Check SERVICE_DATABASE_URL, and the permissions of that folder.`,
      error,
    );
  }
  let session: Session | undefined;
  try {
    session = Session.writing(file);
    requireOurs(session);
    const finding = integrityFault(session, file);
    if (finding !== undefined) throw damaged(file, backupDir, finding);
    const migrated = await migrateAfterSnapshot(session, file, backupDir, now);
    session.useWriteAheadLog();
    return { session, migrated };
  } catch (error) {
    session?.close();
    const name = basename(file);
    if (error instanceof NewerSchema)
      throw unavailable('database', `${name} is left as it is: ${error.message}. ${wayBack(file, backupDir)}`, error);
    if (error instanceof ForeignDatabase)
      throw unavailable('database', `${name} is left as it is: ${error.message}.`, error);
    if (DAMAGED.test(codeOf(error) ?? '')) throw damaged(file, backupDir, codeOf(error) ?? '', error);
    throw error;
  }
}

/** What fails has changed nothing, and leaves no snapshot: it will be tried again and again. */
async function migrateAfterSnapshot(session: Session, file: string, backupDir: string, now: number) {
  const newest = listSnapshots(backupDir)[0]?.name;
  let snapshot: string | undefined;
  try {
    const migrated = await migrate(session, async () => {
      snapshot = await takeSnapshotOnce(file, backupDir, now);
      return snapshot;
    });
    if (migrated) pruneSnapshots(backupDir, now);
    return migrated;
  } catch (error) {
    if (snapshot !== undefined && snapshot !== newest) rmSync(snapshotPath(backupDir, snapshot), { force: true });
    throw error;
  }
}

/** The database holds what the robot knows of its home: for its own user only. */
function prepareFile(file: string): void {
  makePrivateFolder(dirname(file));
  // One that exists is not opened: to close it would end the locks of all other connections of this process (POSIX).
  if (statSync(file, { throwIfNoEntry: false })) return;
  try {
    closeSync(openSync(file, 'wx', 0o600));
    chmodSync(file, 0o600);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** The first thing that is wrong with the file, or undefined. */
export function integrityFault(session: Session, file: string): string | undefined {
  const check = statSync(file).size <= THOROUGH_UP_TO ? 'integrity_check' : 'quick_check';
  const finding = session.database.pragma(`${check}(1)`, { simple: true });
  return finding === 'ok' ? undefined : String(finding).split('\n').at(-1);
}

function damaged(file: string, backupDir: string, finding: string, cause?: unknown) {
  const name = basename(file);
  const newest = listSnapshots(backupDir)[0]?.name;
  const remedy = newest ? inPlaceOf(file, backupDir, newest) : 'and start with an empty one: there is no snapshot';
  return unavailable(
    'database',
    `${name} is damaged (${finding}). ${moveAway(name)}, ${remedy}; then start it again.`,
    cause,
  );
}

/** How to go on with this release although a newer one has been here. */
function wayBack(file: string, backupDir: string): string {
  const snapshots = listSnapshots(backupDir).map(({ name }) => {
    return { name, version: schemaVersionIn(snapshotPath(backupDir, name)) };
  });
  const listed = snapshots.slice(0, MAX_LISTED).map(({ name, version }) => `${name} (schema version ${version})`);
  const list =
    listed.length === 0 ? 'There is no snapshot to go back to.' : `The newest snapshots: ${listed.join(', ')}.`;
  const fitting = snapshots.find(({ version }) => version <= SCHEMA_VERSION);
  if (!fitting) return snapshots.length === 0 ? list : `${list} None fits this release.`;
  return `To go back to the data before the upgrade, and lose what was written since: ${moveAway(basename(file))}, ${inPlaceOf(file, backupDir, fitting.name)}; then start it again. ${list}`;
}

const moveAway = (name: string) => `Stop the service, move ${name}, ${name}-wal and ${name}-shm away`;
const inPlaceOf = (file: string, backupDir: string, snapshot: string) =>
  `and copy ${basename(backupDir)}/${snapshot} to its place as ${basename(file)}`;
