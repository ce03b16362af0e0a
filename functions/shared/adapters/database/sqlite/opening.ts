import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { unavailable } from '../../../errors.ts';
import { makePrivateFolder } from '../../files/replace-file.ts';
import { codeOf } from './failure.ts';
import { ForeignDatabase, migrate, NewerSchema, requireOurs } from './migrate.ts';
import { Session } from './session.ts';
import { listSnapshots, removeUnfinished } from './snapshots.ts';

/** Up to this size, in bytes, every index is compared with its table; beyond it that would hold up the start. */
const THOROUGH_UP_TO = 64 * 1024 * 1024;
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;

/**
 * Opens the database for writing: makes what is missing, checks its integrity, brings its schema up to date.
 * Error: component_unavailable, saying what to do.
 */
export async function openForWriting(file: string, backupDir: string): Promise<Session> {
  try {
    prepareFile(file);
    makePrivateFolder(backupDir);
    removeUnfinished(backupDir);
  } catch (error) {
    throw unavailable('database', `Its file or folder cannot be made (${codeOf(error)}).`, error);
  }
  let session: Session | undefined;
  try {
    session = Session.writing(file);
    requireOurs(session);
    const finding = integrityFault(session, file);
    if (finding !== undefined) throw damaged(file, backupDir, finding);
    session.useWriteAheadLog();
    await migrate(session);
    return session;
  } catch (error) {
    session?.close();
    const name = basename(file);
    if (error instanceof NewerSchema || error instanceof ForeignDatabase)
      throw unavailable('database', `${name} is left as it is: ${error.message}.`, error);
    if (DAMAGED.test(codeOf(error) ?? '')) throw damaged(file, backupDir, codeOf(error) ?? '', error);
    throw error;
  }
}

/** The database holds what the robot knows of its home: for its own user only. */
function prepareFile(file: string): void {
  makePrivateFolder(dirname(file));
  const existed = statSync(file, { throwIfNoEntry: false }) !== undefined;
  closeSync(openSync(file, 'a', 0o600));
  if (!existed) chmodSync(file, 0o600);
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
  const remedy = newest
    ? `and copy ${basename(backupDir)}/${newest} to its place as ${name}`
    : 'and start with an empty one: there is no snapshot';
  return unavailable(
    'database',
    `${name} is damaged (${finding}). Stop the service, move ${name}, ${name}-wal and ${name}-shm away, ${remedy}; then start it again.`,
    cause,
  );
}
