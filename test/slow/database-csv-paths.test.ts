import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { handler as exportTable } from '../../functions/database/export-table.handler.ts';
import { csv, exporting, importing, read, useCsvDatabase, world } from '../support/database-csv.ts';
import { TABLES } from '../support/rows.ts';
import { temporaryFolder } from '../support/world.ts';

useCsvDatabase();

describe('Every table at once', () => {
  it('is all or nothing: a bad line in the last file leaves the first table unchanged', async () => {
    await world.ok(exportTable, { body: { path: 'whole' } });
    csv('whole/categories_table.csv', 'id,name\r\n1,new\r\n');
    csv('whole/tts_table.csv', 'id\r\nx\r\n');
    const { body } = await importing('', 'whole');
    expect(body).toMatchObject({ code: 'invalid_csv', detail: expect.stringContaining('whole/tts_table.csv, line 2') });
    expect(await read('categories_table')).toEqual([]);
  });

  it('requires every file', async () => {
    mkdirSync(join(world.exportDir, 'part'));
    csv('part/categories_table.csv', 'id\r\n');
    expect(await importing('', 'part')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('is exported to the export folder itself without a path', async () => {
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

  it('that does not exist is 404', async () => {
    expect(await importing('robots_table', 'missing.csv')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await importing('robots_table', 'missing/x.csv')).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });

  it('leaves no staged file behind', () => {
    const left = readdirSync(world.exportDir, { recursive: true }).filter((name) => String(name).includes('.staged-'));
    expect(left).toEqual([]);
  });
});

describe('One export, import or restore at a time', () => {
  it('runs; another is 409 busy, naming the one under way', async () => {
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
