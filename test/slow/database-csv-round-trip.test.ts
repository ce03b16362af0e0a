import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { handler as addItem } from '../../functions/database/add-item.handler.ts';
import { handler as clearDatabase } from '../../functions/database/clear-database.handler.ts';
import { handler as exportTable } from '../../functions/database/export-table.handler.ts';
import { handler as importTable } from '../../functions/database/import-table.handler.ts';
import { rowReply } from '../../functions/database/items.ts';
import type { JsonObject, JsonValue } from '../../functions/shared/kit/json.ts';
import { wholeCharacter } from '../support/characters.ts';
import { add, csvOf, read, useCsvDatabase, world } from '../support/database-csv.ts';
import { HOSTILE_JSON, HOSTILE_TEXTS, PARENTS, TABLES } from '../support/rows.ts';

useCsvDatabase();

const text = fc
  .oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: 'grapheme' }), fc.string({ unit: wholeCharacter }))
  .map((one) => one.replaceAll('\0', '').replace(/[\ud800-\udfff]/gu, ''));

const number = fc
  .oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true, max: 1e15, min: -1e15 }))
  .map((one) => (one === 0 ? 0 : one));

const json = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...HOSTILE_JSON),
    text,
    number,
    fc.boolean(),
    fc.array(fc.oneof(tie('value'), fc.constant(null)), { maxLength: 3 }),
    fc.dictionary(
      text.filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 3, noNullPrototype: true },
    ),
  ),
})).value;

describe('Export, clear, import', () => {
  it.each(TABLES.map((table) => [table.name, table] as const))('restores %s with any content', async (name, table) => {
    const columns = Object.entries(table.columns).map(([column, { kind, key, nullable, references, maxLength }]) => {
      const values: Record<typeof kind, fc.Arbitrary<JsonValue>> = {
        int: references === undefined ? fc.maxSafeInteger().map((one) => (one === 0 ? 0 : one)) : fc.constant(1),
        bool: fc.boolean(),
        str: maxLength === undefined ? text : text.map((one) => [...one].slice(0, maxLength).join('')),
        json,
      };
      const value = values[kind];
      return [column, nullable && !key ? fc.option(value) : value] as const;
    });
    const own = PARENTS.findIndex(([tablename]) => tablename === name);
    const parents = own < 0 ? PARENTS : PARENTS.slice(0, own);
    const rows = fc.uniqueArray(fc.record(Object.fromEntries(columns)), { selector: ({ id }) => id, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rows, async (items) => {
        await world.ok(clearDatabase);
        for (const [tablename, item] of parents) await add(tablename, item);
        for (const item of items) await add(name, item as JsonObject);
        const before = await read(name);
        expect(before).toHaveLength(items.length);
        await world.ok(exportTable, { body: { path: 'all' } });
        await world.ok(clearDatabase);
        await world.ok(importTable, { body: { path: 'all' } });
        expect(await read(name)).toEqual(before);
      }),
      { numRuns: 4 },
    );
  });
});

describe('A whole double beyond 2^53', () => {
  const body = '{"tablename":"robot_configuration_table","item":{"id":"a","value":{"x":[1e16,-2.5E300]}}}';

  it('stays a double in JSON through export and import', async () => {
    await world.ok(addItem, { body });
    const before = await read('robot_configuration_table');
    await world.ok(exportTable, { body: { tablename: 'robot_configuration_table' } });
    expect(csvOf('robot_configuration_table.csv')).toContain('"{""x"":[1e+16,-2.5e+300]}"');
    await world.ok(clearDatabase);
    await world.ok(importTable, { body: { tablename: 'robot_configuration_table' } });
    expect(await read('robot_configuration_table')).toEqual(before);
  });

  it('is answered as one, so that it can be sent again', async () => {
    expect(rowReply({ value: { x: 1e16 } }).body).toBe('{"value":{"x":1e+16}}');
  });

  it.each(['10000000000000000', '-9007199254740993'])(
    'is refused as the integer %s, with its pointer',
    async (integer) => {
      const answer = await world.call(addItem, { body: body.replace('1e16', integer) });
      expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
      expect(answer.body.errors[0].pointer).toBe('/item/value/x/0');
    },
  );
});
