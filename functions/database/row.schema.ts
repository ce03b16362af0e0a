import * as z from 'zod';
import { type Column, TABLES, type Table } from '../shared/adapters/database/tables.ts';

/** A row on the wire, as the description of its table says. */
function rowOf({ name, columns }: Table) {
  const shape = Object.entries(columns).map(([column, description]) => [column, schemaOf(description)] as const);
  const words = name.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return z.strictObject(Object.fromEntries(shape)).meta({ id: `${words.join('')}Row` });
}

function schemaOf(column: Column): z.ZodType {
  const value = kindOf(column);
  const described = column.references === undefined ? value : value.describe(`\`id\` of ${column.references}`);
  return column.nullable ? described.nullable() : described;
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
      return z.unknown().describe('any JSON value');
  }
}

/** A row of any table. */
export const Row = z
  .union(TABLES.map(rowOf))
  .describe('a row, all columns of its table')
  .meta({ id: 'Row', example: { id: 1, name: 'Moves', logo: null } });

export const Rows = z.array(Row);
