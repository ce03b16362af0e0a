import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { named } from '../../functions/database/adapters/sqlite/failure.ts';
import { handler as addItem } from '../../functions/database/add-item.handler.ts';
import { handler as deleteItem } from '../../functions/database/delete-item.handler.ts';
import { handler as readItem } from '../../functions/database/read-item.handler.ts';
import { handler as readTable } from '../../functions/database/read-table.handler.ts';
import { handler as updateItem } from '../../functions/database/update-item.handler.ts';
import { ServiceError } from '../../functions/shared/errors.ts';
import { fromFailure, toFailure } from '../../functions/shared/thread-failure.ts';
import { type DatabaseWorld, databaseWorld } from '../support/database.ts';

const tablename = 'robots_table';
const item = { id: 1 };

/** What a failure of a database thread is on the other side. */
const crossed = (thrown: unknown) => fromFailure(structuredClone(toFailure(named(thrown))));
const withCode = (code: string, message = 'said SQLite') => Object.assign(new Error(message), { code });

describe('An error in a database thread', () => {
  it.each([
    ['SQLITE_FULL', 'storage_full', /Free some space/],
    ['ENOSPC', 'storage_full', /Free some space/],
    ['EDQUOT', 'storage_full', /nothing was changed/],
    ['SQLITE_BUSY', 'busy', /Another program holds the database/],
    ['SQLITE_BUSY_SNAPSHOT', 'busy', /try again in a moment/],
    ['SQLITE_CORRUPT_INDEX', 'component_unavailable', /SQLITE_CORRUPT_INDEX/],
    ['SQLITE_IOERR_READ', 'component_unavailable', /SQLITE_IOERR_READ/],
    ['SQLITE_READONLY', 'component_unavailable', /restart of the service/],
  ])('with %s is %s for the client, with its cause for the log', (code, expected, detail) => {
    const error = crossed(withCode(code));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: expected, message: expect.stringMatching(detail) });
    expect(error.cause).toMatchObject({ message: 'said SQLite', code });
  });

  it('keeps its code, detail, headers, faulty member and further members', () => {
    const errors = [{ pointer: '/item/id', message: 'This key is taken.' }];
    const decided = new ServiceError('already_exists', {
      detail: 'There is one.',
      errors,
      headers: { 'x-a': 'b' },
      members: { line: 2 },
    });
    expect(crossed(decided)).toMatchObject({ code: 'already_exists', message: 'There is one.', errors });
    expect(crossed(decided)).toMatchObject({ headers: { 'x-a': 'b' }, members: { line: 2 } });
  });

  it.each([
    ['an error of SQL', withCode('SQLITE_ERROR', 'near "x": syntax error'), { code: 'SQLITE_ERROR' }],
    ['an error without a code', new TypeError('not foreseen'), { message: 'not foreseen' }],
    ['what is no error', 'not foreseen', { message: 'not foreseen' }],
  ])('that is unexpected stays %s, with its message in the log', (_what, thrown, expected) => {
    const error = crossed(thrown);
    expect(error).not.toBeInstanceOf(ServiceError);
    expect(error).toMatchObject(expected);
  });
});

describe('A database file used by other programs', () => {
  let world: DatabaseWorld;
  let other: Database.Database;
  beforeEach(async () => {
    world = databaseWorld();
    await world.ok(addItem, { body: { tablename, item } });
    other = new Database(world.file);
  });
  afterEach(async () => {
    other.close();
    await world.close();
  });

  it('is read but not written while another program locks it: 409 busy, nothing changed', async () => {
    other.exec('BEGIN IMMEDIATE');
    const added = await world.call(addItem, { body: { tablename, item: { id: 2 } } });
    expect({ status: added.status, code: added.body.code }).toEqual({ status: 409, code: 'busy' });
    expect(await world.ok(readTable, { query: { tablename } })).toMatchObject([item]);
    other.exec('ROLLBACK');
    expect(await world.call(addItem, { body: { tablename, item: { id: 2 } } })).toMatchObject({ status: 200 });
  });

  it('that lost a table is 503, with the reason, wherever the table is needed', async () => {
    other.exec('PRAGMA foreign_keys = OFF; DROP TABLE robots_table');
    const named = JSON.stringify({ tablename, item });
    const answers = [
      await world.call(readItem, { query: { data: named } }),
      await world.call(readTable, { query: { tablename } }),
      await world.call(addItem, { body: { tablename, item: { id: 2 } } }),
      await world.call(updateItem, { body: { tablename, item, attribute: 'name', new_value: 'new' } }),
      await world.call(deleteItem, { body: { tablename, item } }),
    ];
    for (const { status, body } of answers) {
      expect({ status, code: body.code }).toEqual({ status: 503, code: 'component_unavailable' });
      expect(body.detail).toContain('changed from outside');
    }
    expect(await world.call(readTable, { query: { tablename: 'tts_table' } })).toMatchObject({ status: 200 });
  });
});
