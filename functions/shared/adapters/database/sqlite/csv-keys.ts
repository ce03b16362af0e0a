import type { RowKey } from '../column.ts';
import type { Session } from './session.ts';

/** The keys one file has brought so far, on SQLite's own temporary storage: there may be very many. */
export class ImportedKeys {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
    session.database.exec(
      'create temp table if not exists imported_keys (id primary key not null, line integer not null) without rowid',
    );
    this.clear();
  }

  clear(): void {
    this.#session.database.exec('delete from temp.imported_keys');
  }

  /** Takes a key in; the line that has brought it before, if one has. */
  add(key: RowKey, line: number): number | undefined {
    const insert = this.#session.prepare('insert into temp.imported_keys values (?, ?) on conflict do nothing');
    if (insert.run(key, line).changes === 1) return undefined;
    const select = this.#session.prepare('select line from temp.imported_keys where id = ?');
    return (select.get(key) as { line: number }).line; // as: it was just in the way
  }
}
