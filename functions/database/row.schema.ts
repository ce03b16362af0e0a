import * as z from 'zod';
import { type Column, mayBeAbsent } from './column.ts';
import { TABLES, type Table } from './tables.ts';

/** `CategoriesTableRow` for `categories_table`. */
export function rowModelName({ name }: Table): string {
  const words = name.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Row`;
}

/** A row as it may be added; one that is read has every column. */
function rowOf(table: Table) {
  const shape = Object.entries(table.columns).map(([name, column]) => [name, schemaOf(column)] as const);
  return z.object(Object.fromEntries(shape)).meta({
    id: rowModelName(table),
    description: `A row of ${table.name}. What is read has every column`,
    unusedIO: 'input',
  });
}

function schemaOf(column: Column): z.ZodType {
  const value = kindOf(column);
  const known = column.nullable ? value.nullable() : value;
  const given = mayBeAbsent(column) ? known.optional() : known;
  const description = descriptionOf(column);
  return description === undefined ? given : given.describe(description);
}

function descriptionOf({ key, kind, references }: Column): string | undefined {
  if (references !== undefined) return `\`id\` of ${references}`;
  if (key && kind === 'int') return 'given when absent, and never given twice';
  return kind === 'json' ? 'any JSON value' : undefined;
}

function kindOf({ kind, maxLength }: Column): z.ZodType {
  switch (kind) {
    case 'int':
      return z.int();
    case 'bool':
      return z.boolean();
    case 'str':
      return maxLength === undefined ? z.string() : z.string().max(maxLength);
    case 'json':
      return z.unknown();
  }
}

/** The row of each table, for clients: the document cannot type an answer by a parameter of its request. */
export const ROW_MODELS: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  TABLES.map((table) => [rowModelName(table), rowOf(table)]),
);

/** A row of any table. */
export const Row = z.record(z.string(), z.unknown()).meta({
  id: 'Row',
  description: 'Every column of a row. The model of the table decodes it, `CategoriesTableRow` for instance',
  example: { id: 1, name: 'Moves', logo: null },
});

export const Rows = z.array(Row);
