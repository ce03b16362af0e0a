import type { StoredValue } from '../column.ts';
import { KEY } from '../column.ts';
import type { Page } from '../port.ts';
import { rowWriter } from '../value.ts';
import { busy } from './failure.ts';
import { described } from './rows.ts';
import { query, Session } from './session.ts';

/** Part of a JSON array of rows; `more` says that the reader is to be asked again. */
export interface Chunk {
  readonly bytes: Uint8Array;
  readonly more: boolean;
}

interface Cursor {
  readonly session: Session;
  readonly rows: Iterator<unknown>;
  readonly write: (values: readonly StoredValue[]) => string;
  first: boolean;
  timer: NodeJS.Timeout;
}

const CHUNK_CHARACTERS = 64 * 1024;
const MOST_CURSORS = 32;
const KEPT_SESSIONS = 4;
/** A reading that nobody continues holds the database's log back: it ends after this many ms. */
const IDLE_MS = 60_000;

/** Reads tables as JSON text, a chunk at a time, each table out of one state of the database. */
export class Cursors {
  readonly #file: string;
  readonly #open = new Map<number, Cursor>();
  readonly #idle: Session[] = [];
  readonly #encoder = new TextEncoder();
  #next = 1;

  constructor(file: string) {
    this.#file = file;
  }

  /** Starts a reading: rows of the whole table, and the first chunk. Error: busy. */
  start(table: string, { limit, offset }: Page): { id: number; total: number; chunk: Chunk } {
    if (this.#open.size >= MOST_CURSORS) throw busy(`${MOST_CURSORS} large tables are being read.`);
    const session = this.#idle.pop() ?? Session.reading(this.#file);
    const id = this.#next++;
    try {
      session.database.exec('BEGIN');
      const total = session.count(table);
      const description = described(table);
      const all = query.selectFrom(table).select(Object.keys(description.columns)).orderBy(KEY);
      const page = all
        .limit(limit ?? -1)
        .offset(offset ?? 0)
        .compile();
      const rows = session.database
        .prepare(page.sql)
        .raw(true)
        .iterate(...page.parameters);
      const timer = setTimeout(() => this.end(id), IDLE_MS);
      this.#open.set(id, { session, rows, write: rowWriter(description), first: true, timer });
      return { id, total, chunk: this.continue(id) };
    } catch (error) {
      this.#drop(id);
      session.close();
      throw error;
    }
  }

  /** The next chunk. After the last one the reading has ended. */
  continue(id: number): Chunk {
    const cursor = this.#open.get(id);
    if (!cursor) throw new Error('the reading had ended: nobody continued it in time');
    cursor.timer.refresh();
    try {
      return this.#chunk(id, cursor);
    } catch (error) {
      this.#drop(id)?.session.close(); // what failed once is not kept for the next reading
      throw error;
    }
  }

  #chunk(id: number, cursor: Cursor): Chunk {
    let text = '';
    while (text.length < CHUNK_CHARACTERS) {
      const { done, value } = cursor.rows.next();
      if (done) {
        this.end(id);
        return { bytes: this.#encoder.encode(`${text}${cursor.first ? '[]' : ']'}`), more: false };
      }
      text += (cursor.first ? '[' : ',') + cursor.write(value as StoredValue[]); // as: raw rows are arrays of what the columns hold
      cursor.first = false;
    }
    return { bytes: this.#encoder.encode(text), more: true };
  }

  /** Ends a reading, wherever it is. */
  end(id: number): void {
    const cursor = this.#drop(id);
    if (!cursor) return;
    cursor.session.database.exec('COMMIT');
    if (this.#idle.length < KEPT_SESSIONS) this.#idle.push(cursor.session);
    else cursor.session.close();
  }

  #drop(id: number): Cursor | undefined {
    const cursor = this.#open.get(id);
    if (!cursor) return undefined;
    this.#open.delete(id);
    clearTimeout(cursor.timer);
    cursor.rows.return?.();
    return cursor;
  }

  close(): void {
    for (const id of [...this.#open.keys()]) this.end(id);
    for (const session of this.#idle.splice(0)) session.close();
  }
}
