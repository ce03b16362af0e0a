import { mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { handler as addItem } from '../../../functions/database/add-item.handler.ts';
import { handler as clearDatabase } from '../../../functions/database/clear-database.handler.ts';
import { handler as exportTable } from '../../../functions/database/export-table.handler.ts';
import { handler as importTable } from '../../../functions/database/import-table.handler.ts';
import { rowReply } from '../../../functions/database/items.ts';
import { handler as readTable } from '../../../functions/database/read-table.handler.ts';
import type { JsonObject, JsonValue } from '../../../functions/shared/json.ts';
import { wholeCharacter } from '../../support/characters.ts';
import { type DatabaseWorld, databaseWorld } from '../../support/database.ts';
import { HOSTILE_JSON, HOSTILE_TEXTS, PARENTS, TABLES } from '../../support/rows.ts';
import { temporaryFolder } from '../../support/world.ts';

let world: DatabaseWorld;
beforeAll(async () => {
  world = databaseWorld({ SERVICE_BACKUP_MAX_BYTES: String(64 * 1024 ** 3) });
  await world.ok(readTable, { query: { tablename: 'robots_table' } });
  mkdirSync(world.exportDir, { recursive: true });
});
beforeEach(async () => {
  await world.ok(clearDatabase);
});
afterAll(() => world.close());

const read = (tablename: string) => world.ok(readTable, { query: { tablename } });
const add = (tablename: string, item: JsonObject) => world.ok(addItem, { body: { tablename, item } });
const importing = (tablename: string, path = '') => world.call(importTable, { body: { tablename, path } });
const exporting = (tablename: string, path = '') => world.call(exportTable, { body: { tablename, path } });
const csv = (name: string, text: string | Buffer) => writeFileSync(join(world.exportDir, name), text);
const csvOf = (name: string) => readFileSync(join(world.exportDir, name), 'utf8');

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
  it.each(TABLES.map((table) => [table.name, table] as const))(
    '%s comes back as it was, whatever it holds',
    async (name, table) => {
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
        { numRuns: 8 },
      );
    },
  );
});

describe('A whole double beyond 2^53', () => {
  const body = '{"tablename":"robot_configuration_table","item":{"id":"a","value":{"x":[1e16,-2.5E300]}}}';

  it('is kept in JSON as the double it is, also through export and import', async () => {
    await world.ok(addItem, { body });
    const before = await read('robot_configuration_table');
    await world.ok(exportTable, { body: { tablename: 'robot_configuration_table' } });
    expect(csvOf('robot_configuration_table.csv')).toContain('"{""x"":[1e+16,-2.5e+300]}"');
    await world.ok(clearDatabase);
    await world.ok(importTable, { body: { tablename: 'robot_configuration_table' } });
    expect(await read('robot_configuration_table')).toEqual(before);
  });

  it('is answered as one, so that it can be sent back', async () => {
    expect(rowReply({ value: { x: 1e16 } }).body).toBe('{"value":{"x":1e+16}}');
  });

  it.each(['10000000000000000', '-9007199254740993'])(
    'is refused as the integer %s, and the place named',
    async (integer) => {
      const answer = await world.call(addItem, { body: body.replace('1e16', integer) });
      expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
      expect(answer.body.errors[0].pointer).toBe('/item/value/x/0');
    },
  );
});

describe('A CSV file', () => {
  it('tells NULL, the empty field, from the empty string, and is RFC 4180', async () => {
    await add('known_runes_table', { id: 'a', label: '', description: null, class_: 'x,"y"\n', virtual_id: '=1+1' });
    await world.ok(exportTable, { body: { tablename: 'known_runes_table' } });
    expect(csvOf('known_runes_table.csv')).toBe('id,virtual_id,label,description,class_\r\na,=1+1,"",,"x,""y""\n"\r\n');
  });

  it('writes booleans as true and false and JSON as its text', async () => {
    await add('tts_table', { id: 1, name: { en: 'a "b"' }, sentences: [], local: true });
    await world.ok(exportTable, { body: { tablename: 'tts_table' } });
    expect(csvOf('tts_table.csv').split('\r\n')[1]).toBe('1,,"{""en"":""a \\""b\\""""}",[],true,false,,');
  });

  it('of an empty table is its header', async () => {
    expect(await exporting('robots_table')).toMatchObject({ status: 200, body: { rows: 0 } });
    expect(csvOf('robots_table.csv')).toBe('id,name,body_image,head_image,color\r\n');
    expect(await importing('robots_table')).toMatchObject({ status: 200, body: { rows: 0 } });
  });

  it('may have a byte-order mark, bare line feeds, fewer columns in another order, and no end of line', async () => {
    csv('robots_table.csv', '\ufeffname,id\nfirst,7\nsecond,8');
    expect(await importing('robots_table')).toMatchObject({ status: 200, body: { rows: 2 } });
    expect(await read('robots_table')).toMatchObject([
      { id: 7, name: 'first', color: null },
      { id: 8, name: 'second' },
    ]);
  });

  it('replaces the given columns of rows with a known key, adds the others, and leaves the rest', async () => {
    await add('robots_table', { id: 1, name: 'old', color: 'red' });
    await add('robots_table', { id: 2, name: 'untouched' });
    csv('robots_table.csv', 'id,name\r\n1,new\r\n3,added\r\n,numbered\r\n');
    await world.ok(importTable, { body: { tablename: 'robots_table' } });
    expect(await read('robots_table')).toMatchObject([
      { id: 1, name: 'new', color: 'red' },
      { id: 2, name: 'untouched' },
      { id: 3, name: 'added' },
      { id: expect.any(Number), name: 'numbered' },
    ]);
  });

  it('gives ids where the column for them is left out', async () => {
    const { id } = await add('robots_table', {});
    csv('robots_table.csv', 'name\r\na\r\nb\r\n');
    await world.ok(importTable, { body: { tablename: 'robots_table' } });
    expect(await read('robots_table')).toMatchObject([{ id }, { id: id + 1, name: 'a' }, { id: id + 2, name: 'b' }]);
  });

  it('that the table refuses, by a trigger of another program, names the line', async () => {
    const file = new Database(world.file);
    file.exec(
      "create trigger no_x before insert on robots_table when new.name = 'x' begin select raise(abort, 'no'); end",
    );
    csv('robots_table.csv', 'id,name\r\n1,a\r\n2,x\r\n');
    const { status, body } = await importing('robots_table');
    file.exec('drop trigger no_x');
    file.close();
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'invalid_csv' });
    expect(body.detail).toContain('line 3: the table does not take this row');
  });

  it.each([
    ['semicolons', 'id;name;color\r\n1;"a;b";\r\n', { id: 1, name: 'a;b', color: null }],
    ['tabs', 'id\tname\n1\ta,b\n', { id: 1, name: 'a,b' }],
    ['a separator said by Excel', '\ufeffsep=;\r\nid;name\r\n1;ä\r\n', { id: 1, name: 'ä' }],
    ['columns in quotes', '"id";"name"\n"1";"a"\n', { id: 1, name: 'a' }],
    ['numbers with a zero fraction', 'id,name\n1.0,a\n', { id: 1, name: 'a' }],
    ['empty rows at the end', 'id;name\n1;a\n;\n;\n', { id: 1, name: 'a' }],
  ])('is read as spreadsheets and pandas write it: %s', async (_what, content, row) => {
    csv('robots_table.csv', content);
    expect(await importing('robots_table')).toMatchObject({ status: 200, body: { rows: 1 } });
    expect(await read('robots_table')).toMatchObject([row]);
  });

  it.each([
    ['customized_prompts_table', 'id,selected\n1,TRUE\n2,False\n3,1.0\n', [true, false, true], 'selected'],
    ['robot_configuration_table', 'id,value\na,TRUE\nb,False\nc,NULL\nd,1E+16\n', [true, false, null, 1e16], 'value'],
    ['runes_table', 'id,simple_click\n1,\n2,""\n', ['', ''], 'simple_click'],
    ['grasping_table', 'id,couple_id\n1,2.00\n2,\n', [2, null], 'couple_id'],
  ])('of %s is read as they write it: %j', async (tablename, content, values, column) => {
    csv(`${tablename}.csv`, content);
    await world.ok(importTable, { body: { tablename } });
    expect((await read(tablename)).map((row: JsonObject) => row[column])).toEqual(values);
  });

  it('names lines as the file has them behind a line that says the separator', async () => {
    csv('robots_table.csv', 'sep=;\nid;name\n1;a\nx;b\n');
    expect((await importing('robots_table')).body.detail).toContain('line 4, column "id"');
  });

  it.each([
    [
      'pandas’ index',
      ',id,name\r\n0,1,a\r\n',
      'line 1, column "": it has no name; drop the index column (pandas: to_csv(…, index=False))',
    ],
    ['pandas’ index, read and written again', 'Unnamed: 0,id\r\n0,1\r\n', 'drop the index column'],
    ['an id twice', 'id,name\r\n7,a\r\n8,b\r\n7.0,c\r\n', 'line 4, column "id": 7 stands on line 2 already'],
    [
      'a number that a spreadsheet shortened',
      'id,name\r\n9.00719925474099E+15,a\r\n',
      'format the column as a number without decimals',
    ],
    ['an unknown column', 'id,wheels\r\n1,2\r\n', 'line 1, column "wheels"'],
    ['a column twice', 'id,name,name\r\n1,a,b\r\n', 'line 1, column "name"'],
    ['an empty column name', 'id,\r\n1,a\r\n', 'line 1, column ""'],
    ['no header', '', 'line 1'],
    [
      'SQL for a column',
      'id,"name) values (1); drop table robots_table; --"\r\n1,a\r\n',
      'line 1, column "name) values',
    ],
    ['too many fields', 'id,name\r\n1,a\r\n2,b,c\r\n3,d\r\n', 'line 3: it has 3 fields, the header has 2'],
    ['too few fields', 'id,name\r\n1,a\r\n2\r\n', 'line 3: it has 1 fields, the header has 2'],
    ['an empty line', 'id,name\r\n1,a\r\n\r\n2,b\r\n', 'line 3'],
    ['text for a number', 'id,name\r\n1,a\r\nx,b\r\n', 'line 3, column "id": must be a whole number'],
    ['a long text for a number', `id,name\r\n${'x'.repeat(50)},b\r\n`, `not "${'x'.repeat(40)}…"`],
    ['a fraction for a number', 'id,name\r\n1.5,a\r\n', 'line 2, column "id"'],
    ['an integer beyond 2^53-1', 'id,name\r\n9007199254740992,a\r\n', 'line 2, column "id"'],
    ['U+0000', 'id,name\r\n1,a\0b\r\n', 'line 2, column "name": must not contain U+0000'],
    ['a quote that never closes', 'id,name\r\n1,a\r\n2,"b\r\n3,c\r\n', 'line 3: it is not RFC 4180'],
    ['a quote in the middle', 'id,name\r\n1,a\r\n2,b"b\r\n', 'line 3: it is not RFC 4180'],
    ['a bad line behind line breaks in a field', 'id,name\r\n1,"a\r\n\r\nb"\r\nx,c\r\n', 'line 5, column "id"'],
  ])('with %s is refused as a whole, with line, column and reason', async (_what, content, where) => {
    await add('robots_table', { id: 1, name: 'before' });
    csv('robots_table.csv', content);
    const { status, body } = await importing('robots_table');
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'invalid_csv' });
    expect(body.detail).toContain(where);
    expect(body.errors).toHaveLength(1);
    expect(await read('robots_table')).toMatchObject([{ id: 1, name: 'before' }]);
  });

  it.each([
    ['customized_prompts_table', 'id,selected\r\n1,yes\r\n', 'line 2, column "selected": must be true or false'],
    ['customized_prompts_table', 'id,selected\r\n1,\r\n', 'line 2, column "selected": must not be empty'],
    ['robot_configuration_table', 'id,value\r\na,{\r\n', 'line 2, column "value": must be JSON'],
    ['robot_configuration_table', 'id,value\r\na,1e999\r\n', 'line 2, column "value"'],
    ['robot_configuration_table', 'id,value\r\na,[9007199254740993]\r\n', 'line 2, column "value"'],
    ['known_runes_table', 'id,label\r\na,x\r\nb,y\r\na,z\r\n', 'line 4, column "id": "a" stands on line 2 already'],
    [
      'robot_configuration_table',
      'id,value\r\na,"""\\ud800"""\r\n',
      'line 2, column "value": must not contain a lone surrogate',
    ],
    ['robot_configuration_table', `id,value\r\na,${'['.repeat(65)}${']'.repeat(65)}\r\n`, 'line 2, column "value"'],
    ['robot_configuration_table', `id,value\r\n${'x'.repeat(65)},\r\n`, 'line 2, column "id": must have at most 64'],
    ['robot_configuration_table', 'value\r\n1\r\n', 'line 1, column "id"'],
    ['robot_configuration_table', 'id,value\r\n,1\r\n', 'line 2, column "id": must not be NULL'],
    ['skills_table', 'id,value\r\n1,{}\r\n', 'line 1, column "description": it is needed'],
    ['skills_table', 'value,description\r\n{},null\r\n', 'line 2, column "description": must not be null'],
  ])('for %s holding %j is refused: %s', async (tablename, content, where) => {
    csv(`${tablename}.csv`, content);
    const { status, body } = await importing(tablename);
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'invalid_csv' });
    expect(body.detail).toContain(where);
    expect(await read(tablename)).toEqual([]);
  });

  it('that is not UTF-8 is refused, and the line is named', async () => {
    const good = Buffer.from('id,name\r\n1,é\r\n2,');
    csv('robots_table.csv', Buffer.concat([good, Buffer.from([0xff]), Buffer.from('\r\n3,c\r\n')]));
    const { body } = await importing('robots_table');
    expect(body).toMatchObject({ code: 'invalid_csv', detail: expect.stringContaining('line 3: it is not UTF-8') });
    csv('robots_table.csv', Buffer.concat([good, Buffer.from([0xc3])]));
    expect(await importing('robots_table')).toMatchObject({ status: 422, body: { code: 'invalid_csv' } });
  });

  it('with one bad line in the middle of very many changes nothing and names that line', async () => {
    await add('robots_table', { id: 5, name: 'before' });
    const lines = Array.from({ length: 20_000 }, (_, n) => `${n + 1},name ${n}`);
    lines[12_344] = 'x,bad';
    csv('robots_table.csv', `id,name\r\n${lines.join('\r\n')}\r\n`);
    const { body } = await importing('robots_table');
    expect(body).toMatchObject({ code: 'invalid_csv', detail: expect.stringContaining('line 12346, column "id"') });
    expect(await read('robots_table')).toMatchObject([{ id: 5, name: 'before' }]);
  });

  it('with references to no row is 409 with table and count, and changes nothing', async () => {
    csv('animations_table.csv', 'id,robot_id\r\n1,\r\n2,4711\r\n3,4711\r\n');
    const { status, body } = await importing('animations_table');
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    expect(body.detail).toMatch(/^2 rows of animations_table would refer by robot_id .* robots_table .* id 2\./);
    expect(await read('animations_table')).toEqual([]);
  });

  it('of more than 256 MiB is refused before it is read', async () => {
    csv('robots_table.csv', 'id\r\n');
    truncateSync(join(world.exportDir, 'robots_table.csv'), 256 * 1024 ** 2 + 1);
    expect(await importing('robots_table')).toMatchObject({ status: 422, body: { code: 'file_too_large' } });
  });
});

describe('Every table at once', () => {
  it('is all or nothing: a bad line in the last file leaves the first table as it was', async () => {
    await world.ok(exportTable, { body: { path: 'whole' } });
    csv('whole/categories_table.csv', 'id,name\r\n1,new\r\n');
    csv('whole/tts_table.csv', 'id\r\nx\r\n');
    const { body } = await importing('', 'whole');
    expect(body).toMatchObject({ code: 'invalid_csv', detail: expect.stringContaining('whole/tts_table.csv, line 2') });
    expect(await read('categories_table')).toEqual([]);
  });

  it('needs every file', async () => {
    mkdirSync(join(world.exportDir, 'part'));
    csv('part/categories_table.csv', 'id\r\n');
    expect(await importing('', 'part')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('lies in the export folder itself when no path is given, tables after those they refer to', async () => {
    const { body } = await exporting('');
    expect(body.map((one: { path: string }) => one.path).sort()).toEqual(
      TABLES.map(({ name }) => `${name}.csv`).sort(),
    );
  });
});

describe('The path of a CSV file', () => {
  const outside = temporaryFolder();

  beforeAll(() => {
    writeFileSync(join(outside, 'secret.csv'), 'id,name\r\n1,secret\r\n');
    symlinkSync(outside, join(world.exportDir, 'link'));
    symlinkSync(join(outside, 'secret.csv'), join(world.exportDir, 'link.csv'));
    mkdirSync(join(world.exportDir, 'folder.csv'));
    csv('file.csv', 'id\r\n');
  });

  it.each([
    '../x.csv',
    '..',
    'a/../../x.csv',
    '/etc/x.csv',
    () => join(outside, 'secret.csv'),
    () => `${world.exportDir}/../x.csv`,
    () => `${world.exportDir}-other/x.csv`,
    'link/secret.csv',
    'link/new.csv',
    'link.csv',
    'folder.csv',
    'file.csv/deeper.csv',
    'folder',
    'robots.txt',
    'a\0.csv',
    'a\n.csv',
    `${'x'.repeat(300)}.csv`,
    `${'a/'.repeat(600)}x.csv`,
  ])('%s is 422 for import and export alike', async (given) => {
    const path = typeof given === 'string' ? given : given();
    for (const answer of [await importing('robots_table', path), await exporting('robots_table', path)]) {
      expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 422, code: 'validation_failed' });
      expect(answer.body.errors[0].pointer).toBe('/path');
      expect(JSON.stringify(answer.body)).not.toContain(outside);
    }
    expect(readdirSync(outside)).toEqual(['secret.csv']);
    expect(await read('robots_table')).toEqual([]);
  });

  it.each(['x.csv', '../x', 'link', 'link/deeper', 'folder.csv'])('%s is 422 for every table', async (path) => {
    expect(await importing('', path)).toMatchObject({ status: 422 });
    expect(await exporting('', path)).toMatchObject({ status: 422 });
    expect(readdirSync(outside)).toEqual(['secret.csv']);
  });

  it.each([
    ['', 'robots_table.csv'],
    ['x.csv', 'x.csv'],
    ['deep/er/x.csv', 'deep/er/x.csv'],
    ['./deep//er/../x.csv', 'deep/x.csv'],
    [() => join(world.exportDir, 'abs.csv'), 'abs.csv'],
    ["'; drop table robots_table; --.csv", "'; drop table robots_table; --.csv"],
    ['.csv', '.csv'],
  ])('%s is fine', async (given, path) => {
    const sent = typeof given === 'string' ? given : given();
    expect(await exporting('robots_table', sent)).toMatchObject({ status: 200, body: { path } });
    expect(await importing('robots_table', path)).toMatchObject({ status: 200, body: { path } });
  });

  it('that is not there is 404', async () => {
    expect(await importing('robots_table', 'missing.csv')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await importing('robots_table', 'missing/x.csv')).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });

  it('leaves nothing half written behind', () => {
    const left = readdirSync(world.exportDir, { recursive: true }).filter((name) => String(name).includes('.staged-'));
    expect(left).toEqual([]);
  });
});

describe('One export, import or restore at a time', () => {
  it('is done; another is 409 busy, and says what is under way', async () => {
    const answers = await Promise.all([
      exporting('robots_table'),
      exporting('robots_table'),
      importing('robots_table'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 409, 409]);
    expect(answers[1]?.body).toMatchObject({ code: 'busy', detail: expect.stringContaining('An export is under way') });
    expect(answers[1]?.headers['retry-after']).toBe('2');
  });
});
