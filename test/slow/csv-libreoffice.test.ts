import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { handler as addItem } from '../../functions/database/add-item.handler.ts';
import { handler as clearDatabase } from '../../functions/database/clear-database.handler.ts';
import { handler as exportTable } from '../../functions/database/export-table.handler.ts';
import { handler as importTable } from '../../functions/database/import-table.handler.ts';
import { handler as readTable } from '../../functions/database/read-table.handler.ts';
import type { JsonObject, JsonValue } from '../../functions/shared/kit/json.ts';
import { describeWith } from '../support/components.ts';
import { type DatabaseWorld, databaseWorld } from '../support/database.ts';
import { TABLES } from '../support/rows.ts';
import { temporaryFolder } from '../support/world.ts';

type Column = (typeof TABLES)[number]['columns'][string];

const JSONS: readonly JsonValue[] = [{ 'a "b"': [1.5, null, true] }, 'a text', true, false, 12, []];

/** What a spreadsheet can hold: text that looks like text, without tabs, and nothing instead of the empty text where both can be. */
function cellFor(name: string, column: Column, number: number): JsonValue {
  if (column.references !== undefined) return 1;
  if (column.kind === 'bool') return number % 2 === 0;
  if (column.kind === 'int') return column.key ? number : number * 1000;
  if (column.key) return `key ${number}`;
  if (column.nullable && number % 3 === 0) return null;
  if (column.kind === 'json') return JSONS[number % JSONS.length] ?? {};
  return !column.nullable && number % 3 === 0 ? '' : `${name}, "é"; 日本 ${number}\nline 2`;
}

describeWith('LibreOffice', '/usr/bin/soffice', 'LibreOffice', () => {
  let world: DatabaseWorld;
  const before = new Map<string, unknown>();
  const read = (tablename: string) => world.ok(readTable, { query: { tablename } });

  beforeAll(async () => {
    world = databaseWorld();
    for (const table of TABLES)
      for (let number = 1; number <= 6; number += 1) {
        const columns = Object.entries(table.columns);
        const item: JsonObject = Object.fromEntries(
          columns.map(([name, column]) => [name, cellFor(name, column, number)]),
        );
        await world.ok(addItem, { body: { tablename: table.name, item } });
      }
    for (const { name } of TABLES) before.set(name, await read(name));
    await world.ok(exportTable, { body: { path: 'ours' } });
    await convert('ods', 'ours', 'sheets');
  }, 180_000);
  afterAll(() => world.close());

  async function convert(filter: string, from: string, to: string): Promise<void> {
    const [folder, target] = [join(world.exportDir, from), join(world.exportDir, to)];
    mkdirSync(target, { recursive: true });
    const files = readdirSync(folder).map((file) => join(folder, file));
    const profile = `-env:UserInstallation=file://${temporaryFolder()}`;
    const input = '--infilter=Text - txt - csv (StarCalc):44,34,76,1';
    const words = from === 'ours' ? [input] : [];
    await promisify(execFile)('soffice', [
      profile,
      '--headless',
      ...words,
      '--convert-to',
      filter,
      '--outdir',
      target,
      ...files,
    ]);
  }

  it.each([
    ['commas', '44,34,76', /^id,/],
    ['semicolons', '59,34,76', /^id;/],
    ['tabs, every text in quotes', '9,34,76,1,,0,true', /^"id"\t/],
  ])(
    'opens what was exported, and what it saves with %s is imported again',
    async (_name, options, header) => {
      await convert(`csv:Text - txt - csv (StarCalc):${options}`, 'sheets', `theirs-${options}`);
      expect(readFileSync(join(world.exportDir, `theirs-${options}`, 'tts_table.csv'), 'utf8')).toMatch(header);
      await world.ok(clearDatabase);
      await world.ok(importTable, { body: { path: `theirs-${options}` } });
      for (const { name } of TABLES) expect([name, await read(name)]).toEqual([name, before.get(name)]);
    },
    180_000,
  );
});
