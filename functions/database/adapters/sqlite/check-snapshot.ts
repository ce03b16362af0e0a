import { readSync } from 'node:fs';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { withFile } from '../../../shared/kit/files/with-file.ts';
import { TABLES } from '../../tables.ts';
import { misfit } from './adoption/fit.ts';
import { type Definition, definitionsIn, releaseSchema } from './adoption/release-schema.ts';
import { SCHEMA_VERSION } from './migrate.ts';
import { integrityFault } from './opening.ts';
import { Session } from './session.ts';

/** What is wrong with a file, as the end of a sentence that begins with "The file"; null when nothing is. */
export interface Verdict {
  readonly fault: string | null;
}

/** Where the header says how the file is written: 2 for a write-ahead log (https://sqlite.org/fileformat2.html). */
const WRITE_VERSION_AT = 18;
const WITH_LOG = 2;

/**
 * Looks at a database that comes from outside, read-only and without trust in what its schema calls. To be run in a
 * process of its own: SQLite may take for ever, or more than that, over a file that somebody has made by hand.
 */
export function checkSnapshot(file: string): Verdict {
  try {
    return { fault: faultOf(file) ?? null };
  } catch (error) {
    const code = codeOf(error);
    if (code?.startsWith('SQLITE_')) return { fault: `is damaged, or no SQLite database (${code})` };
    throw error;
  }
}

function faultOf(file: string): string | undefined {
  if (needsLog(file)) return 'was copied without its write-ahead log: make a copy with VACUUM INTO, and send that';
  const session = Session.reading(file);
  try {
    session.database.pragma('trusted_schema = OFF');
    session.database.pragma('cell_size_check = ON');
    const version = session.numberOf('user_version');
    if (version > SCHEMA_VERSION) {
      return `has schema version ${version}; this release knows up to ${SCHEMA_VERSION}`;
    }
    const foreign = foreignPart(definitionsIn(session));
    if (foreign !== undefined) return foreign;
    const finding = integrityFault(session, file);
    if (finding !== undefined) return `is damaged (${finding})`;
    const unfit = misfit(session);
    return unfit === undefined ? undefined : `is no database of this service (${unfit})`;
  } finally {
    session.close();
  }
}

function needsLog(file: string): boolean {
  return withFile(file, 'r', (descriptor) => {
    const byte = Buffer.alloc(1);
    return readSync(descriptor, byte, 0, 1, WRITE_VERSION_AT) === 1 && byte[0] === WITH_LOG;
  });
}

/** The tables and their indexes may stem from an older release; whatever runs by itself must be ours, to the letter. */
function foreignPart(definitions: readonly Definition[]): string | undefined {
  const ours = releaseSchema();
  const tables = new Set<string>([...TABLES.map(({ name }) => name), ...tablesOf(ours)]);
  const found = definitions.find(({ type, name, tbl_name, sql }) => {
    if (type === 'table') return !tables.has(name) || /^create\s+virtual/i.test(sql);
    if (type === 'index') return !tables.has(tbl_name);
    return !ours.some((own) => own.type === type && own.name === name && own.sql === sql);
  });
  return found && `has a ${found.type} that is none of this service's: ${JSON.stringify(found.name.slice(0, 64))}`;
}

const tablesOf = (definitions: readonly Definition[]) =>
  definitions.filter(({ type }) => type === 'table').map(({ name }) => name);
