import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { SnapshotFolder } from '../../functions/database/adapters/sqlite/snapshot-folder.ts';
import { snapshotFiles } from '../../functions/database/ports.ts';
import { give } from '../../functions/shared/port.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

const BACKUPS = '/api/v2/database/backups/';
const TYPE = { 'content-type': 'application/vnd.sqlite3' };

describe('Snapshots over HTTP', () => {
  const dataDir = temporaryFolder();
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ settings: { SERVICE_DATA_DIR: dataDir } });
  });
  afterAll(() => service.stop());

  const put = (name: string, body: Buffer | string, headers: Record<string, string> = TYPE) =>
    service.as('ADMIN', `${BACKUPS}${name}`, { method: 'PUT', body, headers });
  const take = async (): Promise<string> => (await service.as('ADMIN', BACKUPS, { method: 'POST' })).json.backup;
  const download = async (name: string) => (await service.as('ADMIN', `${BACKUPS}${name}`)).bytes;
  const names = async () => (await service.as('ADMIN', BACKUPS)).json.backups.map(({ name }: { name: string }) => name);
  const add = (name: string) =>
    service.as('USER', '/api/v2/database/add_item/', {
      method: 'POST',
      body: { tablename: 'robots_table', item: { name } },
    });
  const robots = async () => (await service.as('USER', '/api/v2/database/read/?tablename=robots_table')).json;
  const unfinished = () => readdirSync(join(dataDir, 'backups')).filter((name) => !name.startsWith('snapshot-'));

  /** A snapshot of the service after something was done to it. */
  async function changed(work: (database: Database.Database) => void): Promise<Buffer> {
    const file = join(temporaryFolder(), 'changed.sqlite');
    writeFileSync(file, await download(await take()));
    const database = new Database(file);
    work(database);
    database.close();
    return readFileSync(file);
  }

  it('are taken, downloaded, sent to another robot and restored there', async () => {
    await add('Pip');
    const made = await service.as('ADMIN', BACKUPS, { method: 'POST' });
    expect(made.status).toBe(201);
    const name = made.json.backup;
    expect((await names())[0]).toBe(name);
    const { headers, bytes } = await service.as('ADMIN', `${BACKUPS}${name}`);
    expect(headers).toMatchObject({
      'content-type': 'application/vnd.sqlite3',
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="${name}"`,
    });

    const other = await startTestService();
    const sent = await other.as('ADMIN', `${BACKUPS}${name}`, { method: 'PUT', body: bytes, headers: TYPE });
    expect([sent.status, sent.json]).toEqual([201, { name, created_at: expect.any(String), size: bytes.length }]);
    const body = { backup: name };
    expect((await other.as('ADMIN', '/api/v2/database/restore/', { method: 'POST', body })).status).toBe(200);
    expect((await other.as('USER', '/api/v2/database/read/?tablename=robots_table')).json).toEqual(await robots());
    await other.stop();
  });

  it('keep a name of their own, come last in the list, and can be restored', async () => {
    const bytes = await download(await take());
    const before = await robots();
    expect((await put('snapshot-from-Ann.sqlite', bytes)).status).toBe(201);
    expect((await put('snapshot-from-Ann.sqlite', bytes)).json).toMatchObject({ status: 409, code: 'already_exists' });
    await add('later');
    expect((await names()).at(-1)).toBe('snapshot-from-Ann.sqlite');
    const body = { backup: 'snapshot-from-Ann.sqlite' };
    await service.as('ADMIN', '/api/v2/database/restore/', { method: 'POST', body });
    expect(await robots()).toEqual(before);
    expect(await take()).toMatch(/^snapshot-0000\d\d-/);
  });

  it('are taken in once when two are sent under one name at the same time', async () => {
    const bytes = await download(await take());
    const call = { method: 'PUT', body: bytes, headers: TYPE };
    const answers = await Promise.all([
      service.as('ADMIN', `${BACKUPS}snapshot-twice.sqlite`, call),
      service.as('ENCHANTER', `${BACKUPS}snapshot-twice.sqlite`, call),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it.each<[string, (database: Database.Database) => void, RegExp]>([
    ['a view', (database) => database.exec('create view spy as select * from robots_table'), /has a view.*"spy"/],
    [
      'a trigger',
      (database) => database.exec('create trigger t after insert on robots_table begin delete from robots_table; end'),
      /has a trigger.*"t"/,
    ],
    ['a table of another program', (database) => database.exec('create table diary (text)'), /has a table.*"diary"/],
    [
      'a virtual table under a name of ours',
      (database) =>
        database.exec('drop table known_runes_table; create virtual table known_runes_table using fts5(id)'),
      /has a table/,
    ],
    ['a table missing', (database) => database.exec('drop table known_runes_table'), /known_runes_table is missing/],
    ['a newer schema', (database) => database.pragma('user_version = 99'), /schema version 99/],
    ['a write-ahead log', (database) => database.pragma('journal_mode = WAL'), /write-ahead log/],
  ])('are refused with %s', async (_what, work, reason) => {
    const before = await names();
    const { status, json } = await put('snapshot-bad.sqlite', await changed(work));
    expect([status, json.code]).toEqual([422, 'backup_invalid']);
    expect(json.detail).toMatch(reason);
    expect((await names()).filter((name: string) => name.includes('bad'))).toEqual([]);
    expect((await names()).length).toBe(before.length + 1);
    expect(unfinished()).toEqual([]);
  });

  it('are refused when they are damaged, cut off, empty or no database at all', async () => {
    for (let count = 0; count < 50; count += 1) await add('x'.repeat(2_000));
    const bytes = await download(await take());
    const damaged = Buffer.from(bytes);
    damaged.fill(0xa5, bytes.length - 40_000, bytes.length - 1_000);
    for (const body of [damaged, bytes.subarray(0, bytes.length / 2), Buffer.alloc(0), Buffer.from('hello')]) {
      const { status, json } = await put('snapshot-bad.sqlite', body);
      expect([status, json.code]).toEqual([422, 'backup_invalid']);
    }
    expect(unfinished()).toEqual([]);
  });

  it.each<[string, string, Record<string, string>, number, string]>([
    ['a path', 'snapshot-..%2F..%2Fx.sqlite', TYPE, 422, 'validation_failed'],
    ['another name', 'robot.sqlite', TYPE, 422, 'validation_failed'],
    ['a number that leaves none', 'snapshot-999999999999-20260401T120000Z.sqlite', TYPE, 422, 'validation_failed'],
    ['another media type', 'snapshot-x.sqlite', { 'content-type': 'text/csv' }, 415, 'unsupported_media_type'],
  ])('are refused with %s', async (_what, name, headers, status, code) => {
    const answer = await put(name, 'x', headers);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  it('that do not exist are 404', async () => {
    expect((await service.as('ADMIN', `${BACKUPS}snapshot-none.sqlite`)).json.code).toBe('not_found');
  });
});

describe('A snapshot', () => {
  it('that takes too long to check is refused, and the program that checks it ended', async () => {
    const dataDir = temporaryFolder();
    const storage = { backupDir: join(dataDir, 'backups'), backupMaxBytes: 1e9, exportMaxBytes: 0, minFree: undefined };
    const files = new SnapshotFolder({ ...storage, file: '', exportDir: '' }, Date.now, 1);
    const service = await startTestService({
      settings: { SERVICE_DATA_DIR: dataDir },
      given: [give(snapshotFiles, files)],
    });
    const { backup } = (await service.as('ADMIN', BACKUPS, { method: 'POST' })).json;
    const { bytes } = await service.as('ADMIN', `${BACKUPS}${backup}`);
    const call = { method: 'PUT', body: bytes, headers: TYPE };
    const { json } = await service.as('ADMIN', `${BACKUPS}snapshot-slow.sqlite`, call);
    expect(json).toMatchObject({ status: 422, code: 'backup_invalid', detail: expect.stringContaining('0.001 s') });
    await service.stop();
  });

  it('is neither taken nor taken in on a full disk, or beyond SERVICE_BACKUP_MAX_BYTES', async () => {
    for (const settings of [{ SERVICE_MIN_FREE: '999999999999999' }, { SERVICE_BACKUP_MAX_BYTES: '10' }]) {
      const service = await startTestService({ settings });
      const made = await service.as('ADMIN', BACKUPS, { method: 'POST' });
      expect([made.status, made.json.code]).toEqual([507, 'storage_full']);
      const call = { method: 'PUT', body: 'a file that is too large', headers: TYPE };
      const sent = await service.as('ADMIN', `${BACKUPS}snapshot-x.sqlite`, call);
      expect([sent.status, sent.json.code]).toEqual([507, 'storage_full']);
      await service.stop();
    }
  });
});
