import { fifteenTables } from './migrations/001-fifteen-tables.ts';
import type { Compilable, Session } from './session.ts';

type Migrations = ReadonlyArray<() => Compilable[]>;

/** The n-th entry brings a database from version n to n + 1. Entries are only ever added. */
const MIGRATIONS: Migrations = [fifteenTables];

/** The schema version this code works with; kept in the file as SQLite's `user_version`. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The database was written by a newer release. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';
  readonly version: number;

  constructor(version: number) {
    super(
      `it has schema version ${version}, this release knows up to ${SCHEMA_VERSION}: install the release that wrote it, or a newer one, or put a snapshot of an older one in its place`,
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

/**
 * Brings the schema to this release's version: a step a transaction, each under SQLite's own write lock, which ends with
 * its process. Two services that start at once take turns.
 * @throws NewerSchema, ForeignDatabase. The file is then as it was.
 */
export async function migrate(session: Session, migrations: Migrations = MIGRATIONS): Promise<void> {
  while (versionOf(session) !== migrations.length) {
    session.database.pragma('foreign_keys = OFF'); // a table may be rebuilt; references are checked at the end of the step
    try {
      await session.transaction(() => step(session, migrations));
    } finally {
      session.database.pragma('foreign_keys = ON');
    }
  }
}

function step(session: Session, migrations: Migrations): void {
  requireOurs(session, migrations.length); // another process may have been faster
  const version = versionOf(session);
  const migration = migrations[version];
  if (!migration) return;
  for (const compilable of migration()) session.database.exec(compilable.compile().sql);
  const dangling = session.database.pragma('foreign_key_check');
  if (Array.isArray(dangling) && dangling.length > 0)
    throw new Error(`migration ${version + 1} left ${dangling.length} dangling references`);
  session.database.pragma(`user_version = ${version + 1}`);
}
