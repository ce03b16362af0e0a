import { MIGRATIONS } from '../migrations/migrations.ts';
import { Session } from '../session.ts';

export interface Definition {
  readonly type: 'table' | 'index' | 'trigger' | 'view';
  readonly name: string;
  /** The table it belongs to; its own name for a table. */
  readonly tbl_name: string;
  readonly sql: string;
}

/** What a database that this release has made consists of. */
export function releaseSchema(): Definition[] {
  const session = Session.writing(':memory:');
  try {
    session.database.pragma('legacy_alter_table = ON');
    for (const migration of MIGRATIONS) for (const statement of migration(session)) session.database.exec(statement);
    return definitionsIn(session);
  } finally {
    session.close();
  }
}

/** Everything that is defined in a database, and not by SQLite itself. */
export function definitionsIn(session: Session): Definition[] {
  const found = session.prepare(
    "select type, name, tbl_name, sql from sqlite_schema where sql is not null and name not like 'sqlite\\_%' escape '\\'",
  );
  return found.all() as Definition[]; // as: the columns of the select
}
