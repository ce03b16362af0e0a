import Database from 'better-sqlite3';
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { StoredRow, StoredValue } from '../column.ts';

type AnyTables = Record<string, Record<string, StoredValue>>;
type Statement = Database.Statement<unknown[], unknown>;

/**
 * Writes the SQL: Kysely as a query builder over whatever table the description names. The statements run on a
 * {@link Session}, without a turn of the event loop, so that a transaction never waits with the lock in its hand.
 */
export const query = new Kysely<AnyTables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

export interface Compilable {
  compile(): CompiledQuery;
}

/** How long a connection waits for a lock that another process holds, in ms. Never on the main thread. */
const LOCK_WAIT_MS = 5_000;
const KEPT_STATEMENTS = 500;
/** Tables are read once from end to end; what has been read is not needed again. */
const READER_CACHE_KIB = 512;

/** One connection to the database file, with its prepared statements. */
export class Session {
  readonly database: Database.Database;
  readonly #statements = new Map<string, Statement>();

  private constructor(database: Database.Database) {
    this.database = database;
    database.pragma('foreign_keys = ON');
  }

  /** A connection that may write, every commit on the disk before it counts. Makes the file when missing. */
  static writing(file: string): Session {
    const session = new Session(new Database(file, { timeout: LOCK_WAIT_MS }));
    session.database.pragma('synchronous = FULL');
    session.database.pragma('cache_size = -8000');
    return session;
  }

  /** Lets others read while this one writes. Marks the file for good. */
  useWriteAheadLog(): void {
    this.database.pragma('journal_mode = WAL');
    this.database.pragma('journal_size_limit = 67108864');
  }

  /** A connection that only reads, beside any writer. `wait`: ms it may wait for a lock. */
  static reading(file: string, wait = LOCK_WAIT_MS): Session {
    const session = new Session(new Database(file, { readonly: true, fileMustExist: true, timeout: wait }));
    session.database.pragma(`cache_size = -${READER_CACHE_KIB}`);
    return session;
  }

  /** Does something that gives up where it would wait for a lock. */
  withoutWaiting(work: (database: Database.Database) => void): void {
    this.database.pragma('busy_timeout = 0');
    try {
      work(this.database);
    } finally {
      this.database.pragma(`busy_timeout = ${LOCK_WAIT_MS}`);
    }
  }

  prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      if (this.#statements.size >= KEPT_STATEMENTS) this.#statements.clear();
      statement = this.database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Runs to the end, so that constraints checked last have spoken, and gives the rows. */
  rows(compilable: Compilable): StoredRow[] {
    const { sql, parameters } = compilable.compile();
    return this.prepare(sql).all(...parameters) as StoredRow[]; // as: every column holds an integer, a text or null
  }

  row(compilable: Compilable): StoredRow | undefined {
    return this.rows(compilable)[0];
  }

  /** Runs a statement without rows; the count of rows it changed. */
  run(compilable: Compilable): number {
    const { sql, parameters } = compilable.compile();
    return this.prepare(sql).run(...parameters).changes;
  }

  count(table: string): number {
    const row = this.row(query.selectFrom(table).select((e) => e.fn.countAll<number>().as('n')));
    return Number(row?.n ?? 0);
  }

  /** Everything or nothing. The lock is taken at once, so that nothing changes under the work. */
  async transaction<T>(work: () => T | Promise<T>): Promise<T> {
    this.database.exec('BEGIN IMMEDIATE');
    try {
      const value = await work();
      this.database.exec('COMMIT');
      return value;
    } catch (error) {
      // A full disk makes SQLite roll back by itself.
      if (this.database.inTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    this.database.close();
  }
}
