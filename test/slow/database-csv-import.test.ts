import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { handler as exportTable } from '../../functions/database/export-table.handler.ts';
import { handler as importTable } from '../../functions/database/import-table.handler.ts';
import type { JsonObject } from '../../functions/shared/kit/json.ts';
import { add, csv, csvOf, exporting, importing, read, useCsvDatabase, world } from '../support/database-csv.ts';

useCsvDatabase();

/** Imports a file that is refused. @returns the problem. */
async function refusal(tablename: string, content: string) {
  csv(`${tablename}.csv`, content);
  const { status, body } = await importing(tablename);
  expect({ status, code: body.code }).toEqual({ status: 422, code: 'invalid_csv' });
  return body;
}

describe('An imported CSV file', () => {
  it('distinguishes NULL from the empty string, as RFC 4180 allows', async () => {
    await add('known_runes_table', { id: 'a', label: '', description: null, class_: 'x,"y"\n', virtual_id: '=1+1' });
    await world.ok(exportTable, { body: { tablename: 'known_runes_table' } });
    expect(csvOf('known_runes_table.csv')).toBe('id,virtual_id,label,description,class_\r\na,=1+1,"",,"x,""y""\n"\r\n');
  });

  it('writes booleans as true and false and JSON as its text', async () => {
    await add('tts_table', { id: 1, name: { en: 'a "b"' }, sentences: [], local: true });
    await world.ok(exportTable, { body: { tablename: 'tts_table' } });
    expect(csvOf('tts_table.csv').split('\r\n')[1]).toBe('1,,"{""en"":""a \\""b\\""""}",[],true,false,,');
  });

  it('of an empty table is only its header', async () => {
    expect(await exporting('robots_table')).toMatchObject({ status: 200, body: { rows: 0 } });
    expect(csvOf('robots_table.csv')).toBe('id,name,body_image,head_image,color\r\n');
    expect(await importing('robots_table')).toMatchObject({ status: 200, body: { rows: 0 } });
  });

  it('may have a byte-order mark, bare line feeds, fewer or reordered columns, and no final line break', async () => {
    csv('robots_table.csv', '\ufeffname,id\nfirst,7\nsecond,8');
    expect(await importing('robots_table')).toMatchObject({ status: 200, body: { rows: 2 } });
    expect(await read('robots_table')).toMatchObject([
      { id: 7, name: 'first', color: null },
      { id: 8, name: 'second' },
    ]);
  });

  it('updates the given columns of existing rows, adds new rows, and leaves the rest', async () => {
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

  it('assigns ids when their column is omitted', async () => {
    const { id } = await add('robots_table', {});
    csv('robots_table.csv', 'name\r\na\r\nb\r\n');
    await world.ok(importTable, { body: { tablename: 'robots_table' } });
    expect(await read('robots_table')).toMatchObject([{ id }, { id: id + 1, name: 'a' }, { id: id + 2, name: 'b' }]);
  });

  it('refused by a trigger of another program names the line', async () => {
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
  ])('is read as written by spreadsheets and pandas: %s', async (_what, content, row) => {
    csv('robots_table.csv', content);
    expect(await importing('robots_table')).toMatchObject({ status: 200, body: { rows: 1 } });
    expect(await read('robots_table')).toMatchObject([row]);
  });

  it.each([
    ['customized_prompts_table', 'id,selected\n1,TRUE\n2,False\n3,1.0\n', [true, false, true], 'selected'],
    ['robot_configuration_table', 'id,value\na,TRUE\nb,False\nc,NULL\nd,1E+16\n', [true, false, null, 1e16], 'value'],
    ['runes_table', 'id,simple_click\n1,\n2,""\n', ['', ''], 'simple_click'],
    ['grasping_table', 'id,couple_id\n1,2.00\n2,\n', [2, null], 'couple_id'],
  ])('of %s is read as written by them: %j', async (tablename, content, values, column) => {
    csv(`${tablename}.csv`, content);
    await world.ok(importTable, { body: { tablename } });
    expect((await read(tablename)).map((row: JsonObject) => row[column])).toEqual(values);
  });

  it('counts a separator line when naming lines', async () => {
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
  ])('with %s is refused completely, with line, column and reason', async (_what, content, where) => {
    await add('robots_table', { id: 1, name: 'before' });
    const body = await refusal('robots_table', content);
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
    const body = await refusal(tablename, content);
    expect(body.detail).toContain(where);
    expect(await read(tablename)).toEqual([]);
  });

  it('that is not UTF-8 is refused, naming the line', async () => {
    const good = Buffer.from('id,name\r\n1,é\r\n2,');
    csv('robots_table.csv', Buffer.concat([good, Buffer.from([0xff]), Buffer.from('\r\n3,c\r\n')]));
    const { body } = await importing('robots_table');
    expect(body).toMatchObject({ code: 'invalid_csv', detail: expect.stringContaining('line 3: it is not UTF-8') });
    csv('robots_table.csv', Buffer.concat([good, Buffer.from([0xc3])]));
    expect(await importing('robots_table')).toMatchObject({ status: 422, body: { code: 'invalid_csv' } });
  });

  it('with one bad line among very many changes nothing and names that line', async () => {
    await add('robots_table', { id: 5, name: 'before' });
    const lines = Array.from({ length: 20_000 }, (_, n) => `${n + 1},name ${n}`);
    lines[12_344] = 'x,bad';
    csv('robots_table.csv', `id,name\r\n${lines.join('\r\n')}\r\n`);
    const { body } = await importing('robots_table');
    expect(body).toMatchObject({ code: 'invalid_csv', detail: expect.stringContaining('line 12346, column "id"') });
    expect(await read('robots_table')).toMatchObject([{ id: 5, name: 'before' }]);
  });

  it('with references to missing rows is 409 with table and count, without any change', async () => {
    csv('animations_table.csv', 'id,robot_id\r\n1,\r\n2,4711\r\n3,4711\r\n');
    const { status, body } = await importing('animations_table');
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    expect(body.detail).toMatch(/^2 rows of animations_table would refer by robot_id .* robots_table .* id 2\./);
    expect(await read('animations_table')).toEqual([]);
  });

  it('above 256 MiB is refused before it is read', async () => {
    csv('robots_table.csv', 'id\r\n');
    truncateSync(join(world.exportDir, 'robots_table.csv'), 256 * 1024 ** 2 + 1);
    expect(await importing('robots_table')).toMatchObject({ status: 422, body: { code: 'file_too_large' } });
  });
});
