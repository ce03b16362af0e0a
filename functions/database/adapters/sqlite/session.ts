import Database from 'better-sqlite3';
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { BoundedMap } from '../../../shared/kit/bounded-map.ts';
import type { StoredRow, StoredValue } from '../../column.ts';
import type { RobotSchema, TableName } from '../../tables.ts';

type Statement = Database.Statement<unknown[], unknown>;

/**
 * Writes the SQL: Kysely as a query builder. The statements run on a
 * {@link Session}, without a turn of the event loop, so that a transaction never waits with the lock in its hand.
 */
export const query = new Kysely<RobotSchema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** The same for columns that are known at run time only: those of a checked row, of a CSV file, of another program. */
export const anyQuery = query as unknown as Kysely<Record<string, Record<string, StoredValue>>>; // as: any column goes

export interface Compilable {
  compile(): CompiledQuery;
}

type NumberPragma = 'auto_vacuum' | 'data_version' | 'freelist_count' | 'page_count' | 'page_size' | 'user_version';

/** How long a connection waits for a lock that another process holds, in ms. Never on the main thread. */
const LOCK_WAIT_MS = 5_000;
const MAX_STATEMENTS = 500;
/** What a writing connection keeps in memory before it writes it to the log, in bytes. */
export const MAX_CACHE_BYTES = 8_192_000;
/** A log that is longer is shortened to this size when it starts anew, in bytes. */
const MAX_KEPT_LOG_BYTES = 12 * 1024 * 1024;
/** Tables are read once from end to end; what has been read is not needed again. */
const READER_CACHE_KIB = 512;

/** One connection to the database file, with its prepared statements. */
export class Session {
  readonly database: Database.Database;
  readonly #statements = new BoundedMap<string, Statement>(MAX_STATEMENTS);

  private constructor(database: Database.Database) {
    this.database = database;
    database.pragma('foreign_keys = ON');
  }

  /** A connection that may write, every commit on the disk before it counts. Makes the file when missing. */
  static writing(file: string): Session {
    const session = new Session(new Database(file, { timeout: LOCK_WAIT_MS }));
    session.database.pragma('synchronous = FULL');
    // Of a new file; in any other it would write to it.
    if (session.numberOf('page_count') === 0) session.letShrink();
    session.database.pragma(`cache_size = -${MAX_CACHE_BYTES / 1024}`);
    return session;
  }

  /** Lets the file give free pages back, when it is empty or rewritten afterwards; see FreePages. */
  letShrink(): void {
    this.database.pragma('auto_vacuum = INCREMENTAL');
  }

  /** Lets others read while this one writes. Marks the file for good. LogKeeper moves the log into the database. */
  useWriteAheadLog(): void {
    this.database.pragma('journal_mode = WAL');
    this.database.pragma('user_version'); // the log is opened by the first reading, and not ready for a checkpoint before
    this.database.pragma('wal_autocheckpoint = 0');
    this.database.pragma(`journal_size_limit = ${MAX_KEPT_LOG_BYTES}`);
  }

  /** A connection that only reads, beside any writer. `wait`: ms it may wait for a lock. */
  static reading(file: string, wait = LOCK_WAIT_MS): Session {
    const session = new Session(new Database(file, { readonly: true, fileMustExist: true, timeout: wait }));
    session.database.pragma(`cache_size = -${READER_CACHE_KIB}`);
    return session;
  }

  /** Runs work that fails where it would have to wait for a lock. */
  withoutWaiting(work: (database: Database.Database) => void): void {
    this.database.pragma('busy_timeout = 0');
    try {
      work(this.database);
    } finally {
      this.database.pragma(`busy_timeout = ${LOCK_WAIT_MS}`);
    }
  }

  /** The value of a pragma that is a number. */
  numberOf(pragma: NumberPragma): number {
    return Number(this.database.pragma(pragma, { simple: true }));
  }

  /** Whether it is open and outside of a transaction. */
  isIdle(): boolean {
    return this.database.open && !this.database.inTransaction;
  }

  /** A commit that changes nothing. */
  touch(): void {
    this.database.pragma(`user_version = ${this.numberOf('user_version')}`);
  }

  prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Runs a statement to its end, so that deferred constraints are checked, and returns the rows. */
  rows(compilable: Compilable): StoredRow[] {
    const { sql, parameters } = compilable.compile();
    return this.prepare(sql).all(...parameters) as StoredRow[]; // as: every column holds an integer, a text or null
  }

  row(compilable: Compilable): StoredRow | undefined {
    return this.rows(compilable)[0];
  }

  /** Runs a statement without rows. @returns how many rows it changed. */
  run(compilable: Compilable): number {
    const { sql, parameters } = compilable.compile();
    return this.prepare(sql).run(...parameters).changes;
  }

  count(table: TableName): number {
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
