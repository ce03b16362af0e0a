import { stringify } from 'csv-stringify/sync';
import type { StoredValue } from '../../column.ts';
import { columnNames, type Table } from '../../tables.ts';
import { rowWriter } from '../../value.ts';
import { toField, WRITING } from './csv-format.ts';

export type RowForm = 'json' | 'csv';

/** How the rows of a table are written, one after the other. */
export interface RowFormat {
  readonly head: string;
  readonly separator: string;
  readonly tail: string;
  readonly write: (values: readonly StoredValue[]) => string;
}

export const FORMATS: Readonly<Record<RowForm, (table: Table) => RowFormat>> = {
  json: (table) => ({ head: '[', separator: ',', tail: ']', write: rowWriter(table) }),
  csv: (table) => {
    const columns = Object.values(table.columns);
    const line = (fields: Array<string | null>) => stringify([fields], WRITING);
    const write = (values: readonly StoredValue[]) =>
      line(columns.map((column, index) => toField(column, values[index] ?? null)));
    return { head: line([...columnNames(table)]), separator: '', tail: '', write };
  },
};
