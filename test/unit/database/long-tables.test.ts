import { once } from 'node:events';
import { copyFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import { Cursors } from '../../../functions/database/adapters/sqlite/cursors.ts';
import { streamRows } from '../../../functions/database/adapters/sqlite/row-stream.ts';
import { handler as exportTable } from '../../../functions/database/export-table.handler.ts';
import { handler as importTable } from '../../../functions/database/import-table.handler.ts';
import type { RobotDatabase } from '../../../functions/database/port.ts';
import { database } from '../../../functions/database/ports.ts';
import { handler as readTable } from '../../../functions/database/read-table.handler.ts';
import { type DatabaseWorld, databaseWorld } from '../../support/database.ts';
import { homeWithRobots } from '../../support/database-file.ts';
import { until } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/world.ts';

/** So many that they travel in several parts. */
const ROWS = 10_000;
const tablename = 'robots_table';

let world: DatabaseWorld;
let open: RobotDatabase;
beforeAll(async () => {
  const home = temporaryFolder();
  await homeWithRobots(home, ROWS);
  world = databaseWorld({ HOME: home });
  open = await world.ports.get(database);
});
afterAll(() => world.close());

const reading = (signal = new AbortController().signal, owner = 'key-1') =>
  open.readRows(tablename, {}, { signal, owner });
const idsOf = (json: string) => (JSON.parse(json) as Array<{ id: number }>).map(({ id }) => id);
const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('A long table', () => {
  it('is read completely, in key order', async () => {
    const { status, headers, body } = await world.call(readTable, { query: { tablename } });
    expect({ status, total: headers['x-total-count'] }).toEqual({ status: 200, total: String(ROWS) });
    expect((body as Array<{ id: number }>).map(({ id }) => id)).toEqual(ids(ROWS));
  });

  it('is read from one state, whatever changes meanwhile', async () => {
    const { body } = await reading();
    const [first] = (await once(body, 'data')) as [Buffer];
    body.pause();
    await open.remove(tablename, ROWS);
    await open.insert(tablename, { id: ROWS + 1, name: 'later' });
    expect(idsOf(first.toString() + (await text(body)))).toEqual(ids(ROWS));
    expect(await open.readRow(tablename, ROWS)).toBeUndefined();
    await open.remove(tablename, ROWS + 1);
    await open.insert(tablename, { id: ROWS });
  });

  it('is exported and imported completely', async () => {
    expect(await world.ok(exportTable, { body: { tablename } })).toMatchObject({ rows: ROWS });
    expect(await world.ok(importTable, { body: { tablename } })).toMatchObject({ rows: ROWS });
    expect(idsOf(await text((await reading()).body))).toEqual(ids(ROWS));
  });

  it.each([
    ['32 clients', 32, (index: number) => `key-${index}`],
    ['8 clients with one key', 8, () => 'key-1'],
  ])('is read by %s at once; the next is busy until one hangs up', async (_who, count, owner) => {
    const clients = Array.from({ length: count }, () => new AbortController());
    const bodies = await Promise.all(
      clients.map(async ({ signal }, index) => (await reading(signal, owner(index + 1))).body),
    );
    const refused = await world.call(readTable, { query: { tablename } });
    expect({ status: refused.status, code: refused.body.code, after: refused.headers['retry-after'] }).toEqual({
      status: 409,
      code: 'busy',
      after: '2',
    });
    if (count < 32) (await reading(undefined, 'key-2')).body.destroy();
    for (const client of clients) client.abort();
    expect(bodies.map(({ destroyed }) => destroyed)).toEqual(clients.map(() => true));
    expect(await world.call(readTable, { query: { tablename } })).toMatchObject({ status: 200 });
  });

  it('is not read further for a client that hung up before the first part', async () => {
    const client = new AbortController();
    const started = reading(client.signal);
    client.abort();
    expect((await started).body.destroyed).toBe(true);
  });
});

describe('An abandoned reading', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('ends after a minute without a request, and no earlier', () => {
    const cursors = new Cursors(world.file);
    const { id, chunk } = cursors.start(tablename, {}, 'key-1');
    expect(chunk.more).toBe(true);
    jest.advanceTimersByTime(59_999);
    expect(cursors.continue(id).more).toBe(true);
    jest.advanceTimersByTime(59_999);
    expect(cursors.continue(id)).toMatchObject({ bytes: expect.anything() });
    jest.advanceTimersByTime(60_000);
    expect(() => cursors.continue(id)).toThrow('had ended');
    cursors.end(id); // the client that hangs up now finds nothing to end
    cursors.close();
  });
});

describe('A reading that takes too long', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('ends after five minutes, even when it is being continued', () => {
    const cursors = new Cursors(world.file);
    const { id } = cursors.start(tablename, {}, 'key-1');
    for (const seconds of [50, 50, 50, 50, 50, 49]) {
      jest.advanceTimersByTime(seconds * 1000);
      expect(cursors.continue(id)).toMatchObject({ more: true });
    }
    jest.advanceTimersByTime(1000);
    expect(() => cursors.continue(id)).toThrow('took too long');
    cursors.close();
  });

  it('aborts its answer with an error that says why', async () => {
    const thread = { call: async () => ({ id: 1, total: 2, chunk: { bytes: Buffer.from('[1'), more: true } }) };
    const { body } = await streamRows(
      thread as never,
      tablename,
      {},
      { signal: new AbortController().signal, owner: 'a' },
    ); // as: it is asked for nothing else
    const failed = once(body, 'error');
    jest.advanceTimersByTime(60_000);
    expect(await failed).toEqual([expect.objectContaining({ message: expect.stringContaining('more than 60 s') })]);
    expect(body.destroyed).toBe(true);
  });
});

describe('The log of the database', () => {
  const size = () => statSync(`${world.file}-wal`).size;
  const write = async (rows: number) => {
    for (let row = 0; row < rows; row += 1) {
      await open.update(tablename, 1, { name: 'x'.repeat(1_000_000 + row) });
    }
  };

  it('grows while a reading needs it and shrinks afterwards', async () => {
    const { body } = await reading();
    await once(body, 'readable');
    await write(24);
    expect(size()).toBeGreaterThan(20_000_000);
    body.destroy();
    await until('it is short', async () => {
      await open.update(tablename, 1, { name: 'robot' });
      return size() < 13_000_000;
    });
  });
});

describe('Closing the database', () => {
  it('aborts readings and leaves one complete file beside an empty log', async () => {
    const { body } = await reading();
    await open.insert(tablename, { id: ROWS + 1 });
    await world.close();
    await expect(text(body)).rejects.toThrow();
    expect(readFileSync(`${world.file}-wal`).every((byte) => byte === 0)).toBe(true);
    const copy = join(temporaryFolder(), 'copy.sqlite');
    copyFileSync(world.file, copy);
    const file = new Database(copy);
    expect(file.prepare('select max(id) from robots_table').pluck().get()).toBe(ROWS + 1);
    file.close();
  });
});
