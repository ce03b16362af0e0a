import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { migrate, NewerSchema } from '../../../functions/database/adapters/sqlite/migrate.ts';
import { Session } from '../../../functions/database/adapters/sqlite/session.ts';
import { temporaryFolder } from '../../support/world.ts';

const first = () => [
  'create table parents (id integer primary key)',
  'create table children (parent integer references parents (id))',
];

let session: Session;
beforeEach(() => {
  session = Session.writing(join(temporaryFolder(), 'any.sqlite'));
});
afterEach(() => session.close());

const version = () => session.database.pragma('user_version', { simple: true });
const tables = () => session.prepare("select name from sqlite_schema where type = 'table' order by name").all();

describe('Migrations', () => {
  it('run once each, in order, and keep the rows of an older database', async () => {
    await migrate(session, undefined, [first]);
    session.database.exec('insert into parents values (1); insert into children values (1)');
    await migrate(session, undefined, [first, () => ['alter table parents add column name text']]);
    expect(version()).toBe(2);
    expect(session.prepare('select * from parents').all()).toEqual([{ id: 1, name: null }]);
    await migrate(session, undefined, [first, () => ['alter table parents add column name text']]);
    expect(version()).toBe(2);
  });

  it('that fail midway leave the previous version intact', async () => {
    await migrate(session, undefined, [first]);
    const before = tables();
    const failing = () => ['create table more (id integer)', 'create table parents (id integer)'];
    // Not toThrow: the class of SQLite's errors belongs to whichever test file loaded the native module first.
    await expect(migrate(session, undefined, [first, failing])).rejects.toMatchObject({
      message: expect.stringContaining('already exists'),
    });
    expect({ version: version(), tables: tables() }).toEqual({ version: 1, tables: before });
  });

  it('are rolled back when they would leave a dangling reference', async () => {
    await migrate(session, undefined, [first]);
    session.database.exec('insert into parents values (1); insert into children values (1)');
    await expect(migrate(session, undefined, [first, () => ['delete from parents']])).rejects.toThrow('1 dangling');
    expect(session.prepare('select count(*) as n from parents').all()).toEqual([{ n: 1 }]);
    expect(session.database.pragma('foreign_keys', { simple: true })).toBe(1);
  });

  it('refuse a database of a newer release', async () => {
    await migrate(session, undefined, [first, () => []]);
    await expect(migrate(session, undefined, [first])).rejects.toBeInstanceOf(NewerSchema);
  });
});
