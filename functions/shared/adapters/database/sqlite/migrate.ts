import { MIGRATIONS, type Migration } from './migrations/migrations.ts';
import type { Session } from './session.ts';

/** The schema version this code works with; kept in the file as SQLite's `user_version`. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The database was written by a newer release. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';
  readonly version: number;

  constructor(version: number) {
    super(
      `it has schema version ${version}, this release knows up to ${SCHEMA_VERSION}: install the release that wrote it, or a newer one`,
    );
    this.version = version;
  }
}

/** The file is a database, but not of this service. */
export class ForeignDatabase extends Error {
  override readonly name = 'ForeignDatabase';

  constructor() {
    super(
      'it holds tables of another program: set SERVICE_DATABASE_URL to a file of its own, or move this one away, and bring its rows in through CSV files',
    );
  }
}

export const versionOf = (session: Session): number =>
  Number(session.database.pragma('user_version', { simple: true }));

/**
 * Looks before anything is changed.
 * @throws NewerSchema, ForeignDatabase.
 */
export function requireOurs(session: Session, known = SCHEMA_VERSION): void {
  const version = versionOf(session);
  if (version > known) throw new NewerSchema(version);
  const tables = session.prepare("select 1 from sqlite_schema where name not like 'sqlite_%' limit 1").all();
  if (version === 0 && tables.length > 0) throw new ForeignDatabase();
}

export interface Migrated {
  readonly from: number;
  readonly to: number;
  /** Name of the snapshot that was taken before. */
  readonly snapshot: string | null;
}

/**
 * Brings the schema to this release's version, in one transaction under SQLite's own write lock, which ends with its
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
      const snapshot = from === 0 ? null : await before();
      run(session, migrations.slice(from));
      session.database.pragma(`user_version = ${migrations.length}`);
      return { from, to: migrations.length, snapshot };
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
