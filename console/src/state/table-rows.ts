import type { components, Row } from '../../../clients/typescript/src/index.ts';
import { ask } from './ask.ts';
import { parseExact, stringifyExact } from './exact-json.ts';
import { membersOf } from './objects.ts';

export type Table = components['schemas']['TableSummary'];
export type Column = components['schemas']['TableColumn'];

export interface Rows {
  readonly rows: readonly Row[];
  /** Of the whole table. */
  readonly total: number;
}

/** Part of a table, in the order of its keys. @throws RobotRestError. */
export async function readRows(table: string, limit: number, offset: number, signal?: AbortSignal): Promise<Rows> {
  const query = new URLSearchParams({ tablename: table, limit: String(limit), offset: String(offset) });
  const answer = await ask('GET', `api/v2/database/read/?${query}`, signal ? { signal } : {});
  const rows = parseExact(await answer.text());
  const total = Number(answer.headers.get('X-Total-Count') ?? Number.NaN);
  return { rows: Array.isArray(rows) ? rows.filter((row) => membersOf(row)) : [], total };
}

/** One row. @throws RobotRestError `row_not_found`. */
export async function readRow(table: string, id: unknown): Promise<Row> {
  const query = new URLSearchParams({ data: stringifyExact({ tablename: table, item: { id } }) });
  return rowOf(await ask('GET', `api/v2/database/read_item/?${query}`));
}

/** Changes one column. @throws RobotRestError. */
export async function changeCell(table: string, id: unknown, attribute: string, value: unknown): Promise<void> {
  await change('PUT', 'update_item', { tablename: table, item: { id }, attribute, new_value: value });
}

/** @returns the row as it is stored. @throws RobotRestError. */
export async function addRow(table: string, item: Row): Promise<Row> {
  return rowOf(await change('POST', 'add_item', { tablename: table, item }));
}

function change(method: string, route: string, body: object): Promise<Response> {
  return ask(method, `api/v2/database/${route}/`, { body: stringifyExact(body), type: 'application/json' });
}

async function rowOf(answer: Response): Promise<Row> {
  return membersOf(parseExact(await answer.text())) ?? {};
}

export interface Found extends Rows {
  /** Rows that were looked at so far. */
  readonly read: number;
  readonly isOver: boolean;
}

const PIECE = 2000;
/** More are not read by anybody: a longer text finds fewer. */
const MAX_FOUND = 200;

/** Goes through a table piece by piece, however long it is, for rows that contain a text. */
export async function* searchRows(table: string, text: string, signal: AbortSignal): AsyncGenerator<Found> {
  const wanted = text.toLowerCase();
  const found: Row[] = [];
  let read = 0;
  for (;;) {
    const { rows, total } = await readRows(table, PIECE, read, signal);
    read += rows.length;
    found.push(
      ...rows.filter((row) => Object.values(row).some((value) => textOf(value).toLowerCase().includes(wanted))),
    );
    const isOver = read >= total || rows.length === 0 || found.length >= MAX_FOUND;
    yield { rows: found.slice(0, MAX_FOUND), total, read, isOver };
    if (isOver) return;
  }
}

/** A value as it is shown and typed. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : stringifyExact(value);
}

/** What was typed, as a value of the column. @throws Error with a sentence. */
export function valueFrom(text: string, { type }: Column, notNumber: string, notJson: string): unknown {
  if (type === 'str') return text;
  if (type === 'bool') return text === 'true';
  if (type === 'int') {
    if (!/^\s*-?\d+\s*$/.test(text) || !Number.isSafeInteger(Number(text))) throw new Error(notNumber);
    return Number(text);
  }
  try {
    return parseExact(text);
  } catch {
    throw new Error(notJson);
  }
}
