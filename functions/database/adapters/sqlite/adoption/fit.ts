import { type Column, KEY } from '../../../column.ts';
import { TABLES, type Table } from '../../../tables.ts';
import { columnsOf, quoted } from '../migrations/rebuild.ts';
import type { Session } from '../session.ts';
import { type Definition, definitionsIn, releaseSchema } from './release-schema.ts';

/** What keeps a database that does not say whose it is from being taken for ours, in words; undefined when it fits. */
export function misfit(session: Session): string | undefined {
  const definitions = definitionsIn(session);
  return (
    first(TABLES, (table) => shapeFault(session, definitions, table)) ??
    triggerFault(definitions) ??
    countersFault(session, definitions) ??
    first(TABLES, (table) => cellFault(session, table)) ??
    first(TABLES, (table) => referenceFault(session, table))
  );
}

function first<T>(items: readonly T[], fault: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = fault(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function shapeFault(session: Session, definitions: readonly Definition[], table: Table): string | undefined {
  if (!definitions.some(({ type, name }) => type === 'table' && name === table.name)) return `${table.name} is missing`;
  const columns = columnsOf(session, table.name);
  const missing = Object.keys(table.columns).filter((name) => !columns.some((column) => column.name === name));
  if (missing.length > 0) return `${table.name} lacks ${missing.join(', ')}`;
  const generated = columns.find(({ hidden }) => hidden !== 0);
  if (generated) return `${table.name}.${generated.name} is a generated column`;
  const keys = columns.filter(({ pk }) => pk > 0).map(({ name }) => name);
  return keys.length === 1 && keys[0] === KEY ? undefined : `the primary key of ${table.name} is not ${KEY}`;
}

/** The effects of a foreign trigger are unknown. */
function triggerFault(definitions: readonly Definition[]): string | undefined {
  const tables = new Set<string>(TABLES.map(({ name }) => name));
  const foreign = definitions.filter(({ type, tbl_name }) => type === 'trigger' && tables.has(tbl_name));
  if (foreign.length === 0) return undefined;
  const ours = new Set(releaseSchema().map(({ name }) => name));
  const found = foreign.find(({ name }) => !ours.has(name));
  return found && `${found.tbl_name} has a trigger, ${found.name}`;
}

function countersFault(session: Session, definitions: readonly Definition[]): string | undefined {
  if (!definitions.some(({ name }) => name === 'id_counters')) return undefined;
  const names = columnsOf(session, 'id_counters').map(({ name }) => name);
  return names.join() === 'tablename,last' ? undefined : 'its id_counters is another table';
}

function cellFault(session: Session, { name: table, columns }: Table): string | undefined {
  return first(Object.entries(columns), ([name, column]) => {
    const bad = session
      .prepare(`select ${quoted(KEY)} as id from ${table} where not (${takes(column, quoted(name))}) limit 1`)
      .get() as { id: unknown } | undefined; // as: the column of the select
    return bad && `${table}.${name} of the row with id ${shown(bad.id)} ${FAULTS[column.kind]}`;
  });
}

const FAULTS: Readonly<Record<Column['kind'], string>> = {
  int: 'is not a whole number within 2^53-1',
  str: 'is not text that fits',
  bool: 'is neither true nor false',
  json: 'is not JSON',
};

/** Whether a cell can be kept as it is, or be given the default. */
function takes(column: Column, cell: string): string {
  const fillable = column.nullable || column.default !== undefined;
  return `case typeof(${cell}) when 'null' then ${fillable ? 1 : 0} ${MAY_BE[column.kind](cell, column)} else 0 end`;
}

const MAY_BE: Readonly<Record<Column['kind'], (cell: string, column: Column) => string>> = {
  int: (cell) => `when 'integer' then ${cell} between -9007199254740991 and 9007199254740991`,
  bool: (cell) => `when 'integer' then ${cell} in (0, 1)`,
  str: (cell, { maxLength }) => `when 'text' then ${maxLength === undefined ? 1 : `length(${cell}) <= ${maxLength}`}`,
  // In a column of the type JSON, SQLite keeps the text of a number as that number.
  json: (cell) => `when 'integer' then 1 when 'real' then abs(${cell}) < 9e999 when 'text' then json_valid(${cell})`,
};

function referenceFault(session: Session, { name: table, columns }: Table): string | undefined {
  return first(Object.entries(columns), ([name, { references }]) => {
    if (references === undefined) return undefined;
    const { n, id } = session
      .prepare(
        `select count(*) as n, min(id) as id from ${table}
          where ${quoted(name)} is not null and ${quoted(name)} not in (select id from ${references})`,
      )
      .get() as { n: number; id: unknown }; // as: the columns of the select, which has one row
    return n === 0
      ? undefined
      : `${table}.${name} of ${n} rows refers to no row of ${references}; the first has id ${shown(id)}`;
  });
}

const shown = (id: unknown) => JSON.stringify(id).slice(0, 80);
