import { adoption } from './adoption/adopt.ts';
import { type Differences, differencesOf } from './adoption/differences.ts';
import { misfit } from './adoption/fit.ts';
import { definitionsIn } from './adoption/release-schema.ts';
import { MIGRATIONS, type Migration } from './migrations/migrations.ts';
import type { Session } from './session.ts';

/** The schema version this code works with; kept in the file as SQLite's `user_version`. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The database was written by a newer release. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';

  constructor(version: number) {
    super(
      `it has schema version ${version}, this release knows up to ${SCHEMA_VERSION}: install the release that wrote it, or a newer one`,
    );
  }
}

/** The file is a database, but not of this service. */
export class ForeignDatabase extends Error {
  override readonly name = 'ForeignDatabase';

  constructor(misfit: string) {
    super(
      `it holds tables of another program that do not fit (${misfit}): mend that there, or set SERVICE_DATABASE_URL to a file of its own, or move this one away, and bring its rows in through CSV files`,
    );
  }
}

const versionOf = (session: Session): number => session.numberOf('user_version');

/**
 * Looks before anything is changed. What has no version is ours, too, when its tables fit.
 * @throws NewerSchema, ForeignDatabase.
 */
export function requireOurs(session: Session, known = SCHEMA_VERSION): void {
  const version = versionOf(session);
  if (version > known) throw new NewerSchema(version);
  const found = version === 0 && !isEmpty(session) ? misfit(session) : undefined;
  if (found !== undefined) throw new ForeignDatabase(found);
}

function isEmpty(session: Session): boolean {
  return definitionsIn(session).length === 0;
}

export interface Migrated {
  readonly from: number;
  readonly to: number;
  /** Name of the snapshot that was taken before; null when the file was made just now. */
  readonly snapshot: string | null;
  /** How a database of another program, or one that has forgotten its version, differed. */
  readonly adopted?: Differences;
}

/**
 * Brings the schema to this release's version, and adopts what has the fifteen tables without a version, in one transaction under SQLite's own write lock, which ends with its
 * process. Two services that start at once take turns.
 * @param before called inside the transaction before anything is changed, unless the file is empty.
 * @returns undefined when there was nothing to do.
 * @throws NewerSchema, ForeignDatabase. The file is then as it was.
 */
export async function migrate(
  session: Session,
  before: () => Promise<string | null> = async () => null,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Migrated | undefined> {
  if (versionOf(session) === migrations.length) return undefined;
  session.database.pragma('foreign_keys = OFF'); // a table may be rebuilt; references are checked at the end
  session.database.pragma('legacy_alter_table = ON'); // what refers to a table that is rebuilt goes on meaning the name
  try {
    return await session.transaction(async () => {
      requireOurs(session, migrations.length); // another process may have been faster
      const from = versionOf(session);
      if (from === migrations.length) return undefined;
      const isNew = from === 0 && isEmpty(session);
      const adopted = from === 0 && !isNew ? { adopted: differencesOf(session) } : {};
      const snapshot = isNew ? null : await before();
      run(session, 'adopted' in adopted ? [adoption] : migrations.slice(from));
      session.database.pragma(`user_version = ${migrations.length}`);
      return { from, to: migrations.length, snapshot, ...adopted };
    });
  } finally {
    session.database.pragma('legacy_alter_table = OFF');
    session.database.pragma('foreign_keys = ON');
  }
}

function run(session: Session, migrations: readonly Migration[]): void {
  const dangling = danglingReferences(session);
  for (const migration of migrations) for (const statement of migration(session)) session.database.exec(statement);
  const left = danglingReferences(session) - dangling;
  if (left > 0) throw new Error(`the migration left ${left} dangling references`);
}

function danglingReferences(session: Session): number {
  return (session.database.pragma('foreign_key_check') as unknown[]).length; // as: a row for each
}
