import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { handler as addItem } from '../../functions/database/add-item.handler.ts';
import { handler as deleteItem } from '../../functions/database/delete-item.handler.ts';
import { handler as readTable } from '../../functions/database/read-table.handler.ts';
import type { Table } from '../../functions/database/tables.ts';
import { handler as updateItem } from '../../functions/database/update-item.handler.ts';
import type { JsonObject } from '../../functions/shared/kit/json.ts';
import { describeWith } from '../support/components.ts';
import { type DatabaseWorld, databaseWorld } from '../support/database.ts';
import { databaseFile } from '../support/database-file.ts';
import { rowOf, TABLES } from '../support/rows.ts';
import { temporaryFolder } from '../support/world.ts';

const PACKAGE = '/usr/lib/python3/dist-packages/sqlalchemy/__init__.py';
const SCRIPT = fileURLToPath(new URL('../support/sqlalchemy_database.py', import.meta.url));

type Tables = Record<string, JsonObject[]>;

describeWith('python3-sqlalchemy', PACKAGE, 'A SQLAlchemy program', () => {
  const home = temporaryFolder();
  const file = databaseFile(home);
  let world: DatabaseWorld;
  let created: Tables;
  beforeAll(() => {
    mkdirSync(dirname(file), { recursive: true });
    created = sqlalchemy('create');
    world = databaseWorld({ HOME: home });
  });
  afterAll(() => world.close());

  /** The rows of every table as SQLAlchemy reads them, after it has done this. */
  function sqlalchemy(what: 'create' | 'add' | 'show'): Tables {
    const { status, stdout, stderr } = spawnSync('/usr/bin/python3', [SCRIPT, what, file], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return JSON.parse(stdout);
  }

  async function service(): Promise<Tables> {
    const tables = TABLES.map(async ({ name }) => {
      return [name, await world.ok(readTable, { query: { tablename: name } })] as const;
    });
    return Object.fromEntries(await Promise.all(tables));
  }

  it('has its database adopted unchanged, except that NULL becomes the specified default', async () => {
    const before = new Database(file, { readonly: true });
    const stored = "select id, typeof(config) from gamepad_config_table where config is null or config = 'null'";
    const nulls = before.prepare(stored).all();
    before.close();

    const filled: Tables = {
      ...created,
      ...fill(created, ['animations_table', 'grasping_table', 'navigation_table', 'skills_table'], { favorite: false }),
      ...fill(created, ['customized_prompts_table'], { selected: false }),
      ...fill(created, ['runes_table'], { simple_click: 'Nothing.' }),
    };
    expect(created.gamepad_config_table).toHaveLength(18);
    expect(await service()).toEqual(filled);
    expect(sqlalchemy('show')).toEqual(filled);

    const now = new Database(file, { readonly: true });
    expect(now.prepare(stored).all()).toEqual(nulls);
    expect(nulls).toHaveLength(2);
    expect(now.prepare('select version_num from alembic_version').pluck().get()).toBe('0123456789ab');
    expect(now.prepare('select at from meetings').pluck().get()).toMatch(/^2026-04-01 12:00/);
    expect(now.pragma('integrity_check', { simple: true })).toBe('ok');
    now.close();
    expect(readdirSync(world.backupDir)).toHaveLength(1);
  });

  it('reads what the service writes into every table', async () => {
    for (const table of TABLES) {
      const tablename = table.name;
      const row = fitting(table, 1001);
      await world.ok(addItem, { body: { tablename, item: row } });
      const gone = fitting(table, 1002);
      await world.ok(addItem, { body: { tablename, item: gone } });
      for (const attribute of Object.keys(table.columns).filter((name) => name !== 'id'))
        await world.ok(updateItem, {
          body: { tablename, item: { id: row.id ?? null }, attribute, new_value: gone[attribute] ?? null },
        });
      await world.ok(deleteItem, { body: { tablename, item: { id: gone.id ?? null } } });
    }
    const read = await service();
    expect(read.skills_table).toHaveLength(17);
    expect(sqlalchemy('show')).toEqual(read);
  });

  it('adds rows that the service reads, and neither reuses an id of the other', async () => {
    const added = sqlalchemy('add');
    expect(await service()).toEqual(added);
    const { id } = await world.ok(addItem, { body: { tablename: 'robots_table', item: {} } });
    expect(id).toBe(1004);
    await world.ok(deleteItem, { body: { tablename: 'robots_table', item: { id } } });
    expect(added.robots_table?.map((row) => row.id)).toEqual([1, 2, 1001, 1003]);
  });
});

/** A full row, whose references point to rows that SQLAlchemy has made. */
function fitting(table: Table, number: number): JsonObject {
  const row = rowOf(table, number);
  return 'subcategory_id' in row ? { ...row, subcategory_id: 7 } : row;
}

/** Some tables, with what stands for null in some columns. */
function fill(tables: Tables, names: readonly string[], defaults: JsonObject): Tables {
  const filled = names.map((name) => {
    const rows = tables[name]?.map((row) => {
      const missing = Object.entries(defaults).filter(([column]) => row[column] === null);
      return { ...row, ...Object.fromEntries(missing) };
    });
    return [name, rows ?? []] as const;
  });
  return Object.fromEntries(filled);
}
