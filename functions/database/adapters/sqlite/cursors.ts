import type { StoredValue } from '../../column.ts';
import { KEY } from '../../column.ts';
import type { Page } from '../../port.ts';
import { columnNames, type TableName } from '../../tables.ts';
import { busy } from './failure.ts';
import { logBytes } from './log-file.ts';
import { FORMATS, type RowForm, type RowFormat } from './row-format.ts';
import { described } from './rows.ts';
import { query, Session } from './session.ts';
import {
  type Chunk,
  MAX_CURSORS,
  MAX_CURSORS_EACH,
  MAX_IDLE_MS,
  MAX_LOG_BYTES,
  MAX_READING_MS,
} from './thread-protocol.ts';

interface Cursor {
  readonly session: Session;
  readonly rows: Iterator<unknown>;
  readonly format: RowFormat;
  begun: boolean;
  first: boolean;
  readonly owner: string;
  readonly idle: NodeJS.Timeout;
  readonly life: NodeJS.Timeout;
}

const CHUNK_CHARACTERS = 64 * 1024;
const MAX_IDLE_SESSIONS = 4;

/** Reads tables as text, a chunk at a time, each table out of one state of the database. */
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
  start(
    table: TableName,
    { limit, offset }: Page,
    owner: string,
    form: RowForm = 'json',
  ): { id: number; total: number; chunk: Chunk } {
    this.#assertRoom(owner);
    const session = this.#idle.pop() ?? Session.reading(this.#file);
    const id = this.#next++;
    try {
      session.database.exec('BEGIN');
      const total = session.count(table);
      const description = described(table);
      const all = query.selectFrom(table).select(columnNames(description)).orderBy(KEY);
      const page = all
        .limit(limit ?? -1)
        .offset(offset ?? 0)
        .compile();
      const rows = session.database
        .prepare(page.sql)
        .raw(true)
        .iterate(...page.parameters);
      const idle = setTimeout(() => this.end(id), MAX_IDLE_MS);
      const life = setTimeout(() => this.end(id), MAX_READING_MS);
      this.#open.set(id, {
        session,
        rows,
        format: FORMATS[form](description),
        begun: false,
        first: true,
        owner,
        idle,
        life,
      });
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
    if (!cursor) throw new Error('the reading had ended: it was not continued in time, or took too long');
    cursor.idle.refresh();
    try {
      return this.#chunk(id, cursor);
    } catch (error) {
      this.#drop(id)?.session.close(); // what failed once is not kept for the next reading
      throw error;
    }
  }

  #assertRoom(owner: string): void {
    if (this.#open.size === 0) return;
    if (this.#open.size >= MAX_CURSORS) throw busy(`${MAX_CURSORS} large tables are being read.`);
    let own = 0;
    for (const cursor of this.#open.values()) if (cursor.owner === owner) own += 1;
    if (own >= MAX_CURSORS_EACH) {
      throw busy(`${MAX_CURSORS_EACH} large tables are being read with this key. Read one to its end, or hang up.`);
    }
    if (logBytes(this.#file) > MAX_LOG_BYTES) throw busy('The log of the database waits for long readings to end.');
  }

  #chunk(id: number, cursor: Cursor): Chunk {
    const { head, separator, tail, write } = cursor.format;
    let text = cursor.begun ? '' : head;
    cursor.begun = true;
    while (text.length < CHUNK_CHARACTERS) {
      const { done, value } = cursor.rows.next();
      if (done) {
        this.end(id);
        return { bytes: this.#encoder.encode(text + tail), more: false };
      }
      text += (cursor.first ? '' : separator) + write(value as StoredValue[]); // as: raw rows are arrays of what the columns hold
      cursor.first = false;
    }
    return { bytes: this.#encoder.encode(text), more: true };
  }

  /** Ends a reading, wherever it is. */
  end(id: number): void {
    const cursor = this.#drop(id);
    if (!cursor) return;
    cursor.session.database.exec('COMMIT');
    if (this.#idle.length < MAX_IDLE_SESSIONS) this.#idle.push(cursor.session);
    else cursor.session.close();
  }

  #drop(id: number): Cursor | undefined {
    const cursor = this.#open.get(id);
    if (!cursor) return undefined;
    this.#open.delete(id);
    clearTimeout(cursor.idle);
    clearTimeout(cursor.life);
    cursor.rows.return?.();
    return cursor;
  }

  close(): void {
    for (const id of [...this.#open.keys()]) this.end(id);
    for (const session of this.#idle.splice(0)) session.close();
  }
}
