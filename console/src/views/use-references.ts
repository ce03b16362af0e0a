import { robot } from '../state/session.ts';
import { type Column, readRows, textOf } from '../state/table-rows.ts';
import { useLoad } from '../ui/use-load.ts';
import type { Choice } from './value-field.tsx';

/** Tables that others refer to are short; of a long one the first rows are offered. */
const MAX_CHOICES = 500;

/** What the references of a table may refer to, by table. */
export function useReferences(columns: readonly Column[]): ReadonlyMap<string, readonly Choice[]> {
  const names = [...new Set(columns.flatMap(({ references }) => references?.table ?? []))];
  const { value } = useLoad(
    async () => new Map(await Promise.all(names.map(async (name) => [name, await choicesOf(name)] as const))),
    [names.join()],
  );
  return value ?? new Map();
}

async function choicesOf(table: string): Promise<readonly Choice[]> {
  if (!robot.value) return [];
  const { rows } = await readRows(table, MAX_CHOICES, 0);
  return rows.map(({ id, name }) => ({ id, name: textOf(name) }));
}
