import { sql } from 'kysely';
import { codeOf } from '../../../shared/kit/error-code.ts';
import type { RowKey } from '../../column.ts';
import { KEY, mayBeAbsent, type StoredValue } from '../../column.ts';
import type { Table, TableName } from '../../tables.ts';
import { invalidCsv } from './csv-file.ts';
import { type Field, fromField } from './csv-format.ts';
import { giveId } from './ids.ts';
import { anyQuery, type Session } from './session.ts';

type Statement = ReturnType<Session['prepare']>;

/** Takes the records of one file, the header first, and puts them into the table. Error: invalid_csv. */
export class RecordReader {
  /** Line on which the next record starts, from 1. */
  line: number;
  rows = 0;
  /** Rows that were added, or differed from what was there. */
  changed = 0;
  readonly #session: Session;
  readonly #table: Table;
  readonly #path: string;
  #columns: ReadonlyArray<readonly [name: string, column: Table['columns'][string]]> = [];
  #statement: Statement | undefined;
  readonly #keys: ImportedKeys;
  /** Whether the file has no column for the ids. */
  #givesIds = false;

  /** @param line number of the header line. */
  constructor(session: Session, table: Table, path: string, line: number) {
    this.line = line;
    this.#keys = new ImportedKeys(session);
    this.#session = session;
    this.#table = table;
    this.#path = path;
  }

  take(record: readonly Field[]): void {
    if (this.#statement) this.#row(record, this.#statement);
    else this.#header(record);
    this.line += 1;
    for (const field of record) if (field?.includes('\n')) this.line += field.split('\n').length - 1;
  }

  /** Behind the last record. */
  end(): void {
    this.#keys.clear();
    if (!this.#statement) throw this.#bad(undefined, 'the header line with the column names is missing');
  }

  #header(record: readonly Field[]): void {
    const { name: table, columns } = this.#table;
    const seen = new Set<string>();
    this.#columns = record.map((field, index) => {
      const name = field ?? '';
      if (name === '' || /^Unnamed: \d+$/.test(name)) throw this.#bad(name, unnamed(index));
      const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
      if (!column)
        throw this.#bad(name.slice(0, 64), `${table} has no such column; it has ${Object.keys(columns).join(', ')}`);
      if (seen.has(name)) throw this.#bad(name, 'it appears in the header twice');
      seen.add(name);
      return [name, column] as const;
    });
    for (const [name, column] of Object.entries(columns)) {
      if (!seen.has(name) && !mayBeAbsent(column)) throw this.#bad(name, 'it is needed, and missing in the header');
    }
    this.#givesIds = !seen.has(KEY); // a key that is needed is not missing here
    this.#statement = this.#session.prepare(upsert(table, this.#givesIds ? [...seen, KEY] : [...seen]));
  }

  #row(record: readonly Field[], statement: Statement): void {
    if (record.length !== this.#columns.length)
      throw this.#bad(
        undefined,
        `it has ${record.length} fields, the header has ${this.#columns.length}; a field with a separator or line break in it must be quoted`,
      );
    // Spreadsheets write rows that were once used, and are empty now.
    if (record.length > 1 && record.every((field) => field === null)) return;
    const values: StoredValue[] = this.#columns.map(([name, column], index) => {
      const field = record[index] ?? null;
      if (field === null && name === KEY && column.kind === 'int') return giveId(this.#session, this.#table.name);
      const checked = fromField(column, field);
      if ('reason' in checked) throw this.#bad(name, checked.reason);
      return checked.value;
    });
    let given: number | bigint;
    if (this.#givesIds) values.push(giveId(this.#session, this.#table.name));
    try {
      const { lastInsertRowid, changes } = statement.run(...values);
      given = lastInsertRowid;
      this.changed += changes;
    } catch (error) {
      if (!codeOf(error)?.startsWith('SQLITE_CONSTRAINT')) throw error;
      throw this.#bad(undefined, 'the table does not take this row', error);
    }
    const key = values[this.#columns.findIndex(([name]) => name === KEY)] ?? Number(given);
    const before = this.#keys.add(key, this.line);
    if (before !== undefined)
      throw this.#bad(KEY, `${JSON.stringify(key)} stands on line ${before} already; keep one of the two rows`);
    this.rows += 1;
  }

  #bad(column: string | undefined, reason: string, cause?: unknown) {
    return invalidCsv({ path: this.#path, line: this.line, column, reason, cause });
  }
}

function unnamed(index: number): string {
  return index === 0
    ? 'it has no name; drop the index column (pandas: to_csv(…, index=False))'
    : 'it has no name; delete that column, or name it';
}

/** Adds a row, or replaces these columns of the one with its key where one differs. Its parameters are the columns, in this order. */
function upsert(table: TableName, columns: readonly string[]): string {
  const placeholders = Object.fromEntries(columns.map((column) => [column, 0]));
  const rest = columns.filter((column) => column !== KEY);
  return anyQuery
    .insertInto(table)
    .values(placeholders)
    .onConflict((conflict) =>
      rest.length === 0
        ? conflict.column(KEY).doNothing()
        : conflict
            .column(KEY)
            .doUpdateSet(Object.fromEntries(rest.map((column) => [column, sql.ref(`excluded.${column}`)])))
            .where((e) => e.or(rest.map((column) => differs(table, column)))),
    )
    .compile().sql;
}

const differs = (table: TableName, column: string) =>
  sql<boolean>`${sql.ref(`${table}.${column}`)} is not ${sql.ref(`excluded.${column}`)}`;

/** The keys one file has brought so far, on SQLite's own temporary storage: there may be very many. */
class ImportedKeys {
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
