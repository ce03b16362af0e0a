import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { handler as addItem } from '../../../functions/database/add-item.handler.ts';
import { handler as clearTable } from '../../../functions/database/clear-table.handler.ts';
import { handler as getPath } from '../../../functions/database/get-path.handler.ts';
import { database } from '../../../functions/database/ports.ts';
import { handler as readItem } from '../../../functions/database/read-item.handler.ts';
import { handler as readTable } from '../../../functions/database/read-table.handler.ts';
import { closeDatabases, databaseWorld, startDatabase } from '../../support/database.ts';
import { TABLES } from '../../support/rows.ts';
import { temporaryFolder, testConfig } from '../../support/world.ts';

afterEach(closeDatabases);

/** A home whose database somebody has prepared. */
function homeWith(prepare: (file: Database.Database) => void): string {
  const home = temporaryFolder();
  mkdirSync(dirname(fileIn(home)), { recursive: true });
  const file = new Database(fileIn(home));
  prepare(file);
  file.close();
  return home;
}

const fileIn = (home: string) => testConfig({ HOME: home }).SERVICE_DATABASE_URL.replace('sqlite:///', '');
const query = { tablename: 'robots_table' };
const body = { ...query, item: { name: 'r' } };

describe('The database file', () => {
  it('has exactly the described columns, in order, with their constraints and defaults', async () => {
    const world = startDatabase(temporaryFolder());
    await world.ok(readTable, { query });
    const file = new Database(world.file, { readonly: true });
    const written = file
      .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
      .pluck()
      .all();
    expect(written.sort()).toEqual([...TABLES.map(({ name }) => name), 'id_counters'].sort());
    for (const { name, columns } of TABLES) {
      const info = file.pragma(`table_info(${name})`) as Array<Record<string, unknown>>;
      const described = Object.entries(columns).map(([column, { kind, key, nullable, default: otherwise }]) => ({
        name: column,
        type: kind === 'int' || kind === 'bool' ? 'INTEGER' : 'TEXT',
        notnull: Number(!nullable && !(key && kind === 'int')),
        dflt_value: otherwise === undefined ? null : storedDefault(otherwise),
        pk: Number(key),
      }));
      expect(info.map(({ cid: _cid, ...column }) => ({ ...column, type: String(column.type).toUpperCase() }))).toEqual(
        described,
      );
      const references = (file.pragma(`foreign_key_list(${name})`) as Array<Record<string, unknown>>)
        .map(({ from, table, to, on_delete }) => [from, table, to, on_delete])
        .sort();
      const expected = Object.entries(columns).flatMap(([column, { references: to }]) =>
        to ? [[column, to, 'id', 'NO ACTION']] : [],
      );
      expect(references).toEqual(expected.sort());
    }
    file.close();
  });

  it('is in WAL mode and readable by its user only', async () => {
    const world = startDatabase(temporaryFolder());
    await world.ok(addItem, { body });
    const file = new Database(world.file, { readonly: true });
    expect(file.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(file.pragma('integrity_check', { simple: true })).toBe('ok');
    file.close();
    for (const end of ['', '-wal']) expect(statSync(world.file + end).mode & 0o777).toBe(0o600);
  });

  it('refuses values from other programs that could not be read back', async () => {
    const world = startDatabase(temporaryFolder());
    await world.ok(readTable, { query });
    const file = new Database(world.file);
    for (const sql of [
      'insert into customized_prompts_table (selected) values (2)',
      'insert into customized_prompts_table ("order") values (9007199254740992)',
      "insert into robot_configuration_table values ('a', '{')",
      "insert into robots_table (name) values (x'00')",
      'insert into robots_table (id) values (9007199254740992)',
    ])
      expect(() => file.exec(sql)).toThrow(/constraint failed|cannot store/);
    file.close();
  });

  it('can be opened by two starts at once', async () => {
    const home = temporaryFolder();
    const both = [startDatabase(home), startDatabase(home)];
    await Promise.all(both.map((world) => world.ok(addItem, { body })));
    expect(await both[0]?.ok(readTable, { query })).toHaveLength(2);
  });

  it('is reopened by the next start', async () => {
    const home = temporaryFolder();
    const first = startDatabase(home);
    await first.ok(addItem, { body });
    await first.close();
    expect(await startDatabase(home).ok(readTable, { query })).toEqual([expect.objectContaining({ id: 1, name: 'r' })]);
  });

  it('is where its URL says', async () => {
    const world = startDatabase(temporaryFolder());
    expect(await world.ok(getPath)).toEqual({ path: `sqlite:///${world.file}` });
  });
});

describe('A database that cannot be used', () => {
  it.each([
    ['is newer than the code', homeWithNewer, /schema version 99.*install the release that wrote it/],
    ['belongs to another program', homeWithForeign, /tables of another program.*SERVICE_DATABASE_URL/],
    ['is no database', homeWithText, /robot\.sqlite is damaged.*move robot\.sqlite.*there is no snapshot/],
    ['is damaged', homeWithDamage, /robot\.sqlite is damaged.*copy backups\/snapshot-000001-\S+ to its place/],
    ['cannot be made', homeWithFileForFolder, /cannot be made/],
  ])('because it %s is 503 with advice, and stays unchanged', async (_why, make, message) => {
    const home = await make();
    const before = contentOf(home);
    const world = startDatabase(home);
    for (const answer of [await world.call(readTable, { query }), await world.call(addItem, { body })]) {
      expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 503, code: 'component_unavailable' });
      expect(answer.body.detail).toMatch(message);
      expect(answer.body.detail).not.toContain(home);
    }
    expect((await world.ports.get(database)).problem()).toMatch(message);
    expect(contentOf(home)).toEqual(before);
  });

  it('is retried later, and used once it works', async () => {
    let now = 0;
    const home = homeWithNewer();
    const world = startDatabase(home, () => now);
    expect(await world.call(readTable, { query })).toMatchObject({ status: 503 });
    writeFileSync(fileIn(home), '');
    now += 4_999;
    expect(await world.call(readTable, { query })).toMatchObject({ status: 503 });
    now += 1;
    expect(await world.call(readTable, { query })).toMatchObject({ status: 200 });
    expect((await world.ports.get(database)).problem()).toBeUndefined();
  });
});

describe('SQL', () => {
  const sql = "x'); drop table robots_table; --";

  it('in a value is stored as text', async () => {
    const world = startDatabase(temporaryFolder());
    const { id } = await world.ok(addItem, { body: { ...query, item: { name: sql } } });
    const data = JSON.stringify({ ...query, item: { id } });
    expect(await world.ok(readItem, { query: { data } })).toMatchObject({ name: sql });
  });

  it('in a table name, column name or key is only an error', async () => {
    const world = startDatabase(temporaryFolder());
    await world.ok(addItem, { body });
    const answers = [
      await world.call(readTable, { query: { tablename: `robots_table where 1=1; ${sql}` } }),
      await world.call(readTable, { query: { ...query, limit: '1; drop table robots_table' } }),
      await world.call(clearTable, { query: { tablename: `robots_table; ${sql}` } }),
      await world.call(addItem, { body: { ...query, item: { [sql]: 1 } } }),
      await world.call(readItem, { query: { data: JSON.stringify({ ...query, item: { id: '1 or 1=1' } }) } }),
      await world.call(readItem, { query: { data: JSON.stringify({ ...query, item: { 'id" = 1 or "1"="1': 1 } }) } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 422, 404, 422, 422, 422]);
    expect(await world.ok(readTable, { query })).toHaveLength(1);
  });
});

function homeWithNewer(): string {
  return homeWith((file) => file.pragma('user_version = 99'));
}

function homeWithForeign(): string {
  return homeWith((file) => file.exec('create table robots_table (id integer primary key, wheels integer)'));
}

function homeWithText(): string {
  const home = temporaryFolder();
  mkdirSync(dirname(fileIn(home)), { recursive: true });
  writeFileSync(fileIn(home), 'this is no database, but it is long enough to be looked at as one. '.repeat(100));
  return home;
}

async function homeWithDamage(): Promise<string> {
  const home = temporaryFolder();
  const world = databaseWorld({ HOME: home });
  await world.ok(addItem, { body });
  await world.ok(clearTable, { query });
  await world.close();
  const bytes = readFileSync(fileIn(home));
  bytes.fill(0xee, 4096 * 3, 4096 * 8);
  writeFileSync(fileIn(home), bytes);
  return home;
}

function homeWithFileForFolder(): string {
  const home = temporaryFolder();
  writeFileSync(dirname(fileIn(home)), 'a file where the data folder should be');
  return home;
}

function contentOf(home: string): string | undefined {
  try {
    return createHash('sha256')
      .update(readFileSync(fileIn(home)))
      .digest('hex');
  } catch {
    return undefined;
  }
}

function storedDefault(value: unknown): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return `'${typeof value === 'string' ? value : JSON.stringify(value)}'`;
}
