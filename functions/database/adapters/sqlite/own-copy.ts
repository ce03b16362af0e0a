import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import { syncPath } from '../../../shared/kit/files/replace-file.ts';
import { TABLES } from '../../tables.ts';
import { type Definition, definitionsIn, releaseSchema } from './adoption/release-schema.ts';
import { quoted } from './migrations/rebuild.ts';
import { Session } from './session.ts';

const PAGES_A_STEP = 2_000;

/**
 * Copies the database as it is at one moment to a new file (0600), beside any write. Tables, views and triggers of other
 * programs stay behind: what a copy is for, a restore, does not touch theirs.
 * Error: storage_full.
 */
export async function copyOwn(file: string, target: string, minFree: number | undefined): Promise<void> {
  const source = Session.reading(file);
  try {
    const bytes = statSync(file).size + (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0);
    new DiskReserve(minFree).assertRoom(dirname(target), bytes);
    closeSync(openSync(target, 'wx', 0o600));
    source.database.exec('BEGIN');
    source.database.pragma('user_version'); // from here on it reads one state, whatever is written meanwhile
    await source.database.backup(target, { progress: () => PAGES_A_STEP });
    source.database.exec('COMMIT');
    keepOwn(target);
    syncPath(target);
  } catch (error) {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(target + end, { force: true });
    throw error;
  } finally {
    source.close();
  }
}

/** One file without a log, with nothing but what this service defines. */
function keepOwn(copy: string): void {
  const session = Session.writing(copy);
  try {
    session.database.pragma('journal_mode = DELETE');
    session.database.pragma('foreign_keys = OFF');
    const foreign = definitionsIn(session).filter(isForeign(releaseSchema()));
    const inOrder = foreign.toSorted((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
    for (const { type, name } of inOrder) session.database.exec(`DROP ${type} IF EXISTS ${quoted(name)}`);
    if (foreign.length > 0) session.database.exec('VACUUM');
  } finally {
    session.close();
  }
}

/** What depends on others goes before them. */
const ORDER: ReadonlyArray<Definition['type']> = ['view', 'trigger', 'index', 'table'];

function isForeign(ours: readonly Definition[]): (definition: Definition) => boolean {
  const tables = new Set<string>([
    ...TABLES.map(({ name }) => name),
    ...ours.filter(({ type }) => type === 'table').map(({ name }) => name),
  ]);
  return ({ type, name, tbl_name, sql }) => {
    if (type === 'table' || type === 'index') return !tables.has(tbl_name);
    return !ours.some((own) => own.type === type && own.name === name && own.sql === sql);
  };
}
