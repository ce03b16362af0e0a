import { sql } from 'kysely';
import { ServiceError } from '../../../shared/errors.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { KEY, type RowKey, type StoredRow } from '../../column.ts';
import { columnNames, findTable, referencesTo, TABLES, type Table, type TableName } from '../../tables.ts';
import { alignSequences, giveId, isNumbered, isUncounted } from './ids.ts';
import { anyQuery, query, Session } from './session.ts';

/** The description of a table that the caller has looked up before. */
export function described(name: string): Table {
  const table = findTable(name);
  if (!table) throw new Error(`${name} is no table`);
  return table;
}

const BY_KEY = new Map(
  TABLES.map(({ name }) => [name as string, query.selectFrom(name).selectAll().where(KEY, '=', 0).compile().sql]), // as: asked by any string
);

/** The rows of each table, counted in one state of the database. */
export function countRows(file: string): Record<string, number> {
  const session = Session.reading(file);
  try {
    return session.database.transaction(() =>
      Object.fromEntries(TABLES.map(({ name }) => [name, session.count(name)])),
    )();
  } finally {
    session.close();
  }
}

/** One row by its key: the one thing that is read on the main thread. */
export function readRow(session: Session, table: TableName, key: RowKey): StoredRow | undefined {
  return session.prepare(BY_KEY.get(table) ?? '').get(key) as StoredRow | undefined; // as: every column holds an integer, a text or null
}

/** Bytes that the values of a row take in the database, at most. */
export function bytesOf(row: StoredRow): number {
  return Object.values(row).reduce<number>((sum, value) => {
    return sum + 10 + (typeof value === 'string' ? Buffer.byteLength(value) : 0);
  }, 0);
}

/** The same for a row as it will be with these changes; only the lengths of its other columns are read. */
export function bytesOfChanged(session: Session, table: TableName, key: RowKey, changes: StoredRow): number {
  const others = columnNames(described(table)).filter((name) => !Object.hasOwn(changes, name));
  const lengths = query
    .selectFrom(table)
    .select(others.map((name) => sql<number>`coalesce(octet_length(${sql.ref(name)}), 0)`.as(name)))
    .where(KEY, '=', key);
  const kept = Object.values(session.row(lengths) ?? {}).reduce<number>((sum, length) => sum + 10 + Number(length), 0);
  return kept + bytesOf(changes);
}

/** Adds a row, and gives it an id when it comes without. Errors: already_exists, conflict. */
export async function insertRow(session: Session, table: TableName, row: StoredRow): Promise<StoredRow> {
  return session.transaction(() => {
    const whole = row[KEY] === undefined && isNumbered(table) ? { ...row, [KEY]: giveId(session, table) } : row;
    try {
      const stored = session.row(anyQuery.insertInto(table).values(whole).returningAll());
      if (isUncounted(row[KEY])) alignSequences(session);
      return stored ?? whole;
    } catch (error) {
      throw explained(session, table, whole, error);
    }
  });
}

/** Changes columns of a row. Error: conflict. */
export function updateRow(session: Session, table: TableName, key: RowKey, changes: StoredRow): StoredRow | undefined {
  try {
    return session.row(query.updateTable(table).set(changes).where(KEY, '=', key).returningAll());
  } catch (error) {
    throw explained(session, table, changes, error);
  }
}

/** Removes a row that nothing refers to. Error: conflict. */
export function removeRow(session: Session, table: TableName, key: RowKey): StoredRow | undefined {
  try {
    return session.row(query.deleteFrom(table).where(KEY, '=', key).returningAll());
  } catch (error) {
    if (codeOf(error) !== 'SQLITE_CONSTRAINT_FOREIGNKEY') throw error;
    throw orphaning(table, referring(session, table, key), error);
  }
}

/** What a constraint has against a row, in words. */
function explained(session: Session, table: TableName, row: StoredRow, error: unknown): unknown {
  switch (codeOf(error)) {
    case 'SQLITE_CONSTRAINT_PRIMARYKEY':
    case 'SQLITE_CONSTRAINT_ROWID':
      return new ServiceError('already_exists', {
        detail: `${table} has a row with ${KEY} ${JSON.stringify(row[KEY])} already.`,
        errors: [{ pointer: `/item/${KEY}`, message: 'This key is taken.' }],
        cause: error,
      });
    case 'SQLITE_CONSTRAINT_UNIQUE':
      return new ServiceError('conflict', {
        detail: `Another program has put a unique index on ${table}, and there already is a row with these values.`,
        cause: error,
      });
    case 'SQLITE_CONSTRAINT_FOREIGNKEY':
      return dangling(session, table, row, error);
    case 'SQLITE_CONSTRAINT_CHECK':
      return new ServiceError('conflict', {
        detail: `${table} has given its highest ${KEY} already. Send the row with an ${KEY} of your choice.`,
        cause: error,
      });
    default:
      return error;
  }
}

function dangling(session: Session, table: TableName, row: StoredRow, cause: unknown): ServiceError {
  const columns = Object.entries(described(table).columns).filter(([name, { references }]) => {
    const value = row[name];
    return references !== undefined && value != null && !readRow(session, references, value);
  });
  const faults = columns.map(([name, { references }]) => `${name} ${row[name]} is no ${KEY} of ${references}`);
  return new ServiceError('conflict', {
    detail: `${columns.length} dangling reference${columns.length === 1 ? '' : 's'} in ${table}: ${faults.join('; ')}. Add that row first.`,
    errors: columns.map(([name], index) => ({ pointer: `/item/${name}`, message: faults[index] ?? '' })),
    cause,
  });
}

interface Referring {
  readonly table: TableName;
  readonly count: number;
}

/** How many rows of which tables refer to a row, or to any row, of this one. */
export function referring(session: Session, table: TableName, key?: RowKey): Referring[] {
  return referencesTo(table)
    .map((reference) => {
      const base = query.selectFrom(reference.table).select((e) => e.fn.countAll<number>().as('n'));
      const counted =
        key === undefined ? base.where(reference.column, 'is not', null) : base.where(reference.column, '=', key);
      return { table: reference.table, count: Number(session.row(counted)?.n ?? 0) };
    })
    .filter(({ count }) => count > 0);
}

export function orphaning(table: TableName, by: readonly Referring[], cause?: unknown): ServiceError {
  const counts = by.map((one) => `${one.count} of ${one.table}`).join(', ') || 'those of another program';
  return new ServiceError('conflict', {
    detail: `Rows of other tables refer to ${table}: ${counts}. Delete or change those first; nothing was deleted.`,
    cause,
  });
}
