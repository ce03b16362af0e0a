import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AccessLevel } from '../../../functions/shared/access.ts';
import { createKey, listKeys } from '../../../functions/shared/identity/adapters/key-store/edit.ts';
import { createLogger } from '../../../functions/shared/observability/logger.ts';
import { main as apiKey } from '../../../local-host/cli/api-key.ts';
import { http } from '../../support/http.ts';
import { until } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { describeOnDisks, type SmallDisk } from '../../support/small-disk.ts';
import { upload, WRITERS } from '../../support/writers.ts';

const MIB = 1024 ** 2;
const ROWS = 50;
const TABLE = 'robots_table';
/** What lies in the log of the database needs room in the database itself, which cannot grow on a full disk. */
const LARGE = 'x'.repeat(20_000);

interface World {
  readonly disk: SmallDisk;
  readonly data: string;
  readonly service: TestService;
  readonly lines: string[];
}

/** A service on a disk of its own that has one of everything already. */
async function worldOn(disk: SmallDisk, settings: Record<string, string> = {}): Promise<World> {
  const lines: string[] = [];
  const data = join(disk.folder, 'data');
  const service = await startTestService({
    settings: { SERVICE_DATA_DIR: data, ...settings },
    logger: createLogger('warn', { write: (line: string) => void lines.push(line) }),
  });
  for (let row = 1; row <= ROWS; row += 1) {
    await database(service, 'add_item', 'POST', { tablename: TABLE, item: { id: row, name: LARGE } });
  }
  mkdirSync(join(data, 'exports'), { recursive: true });
  for (const path of ['incoming.csv', 'kept.csv']) writeFileSync(join(data, 'exports', path), 'id,name\r\n1,one\r\n');
  await service.as('ENCHANTER', `/api/v2/database/clear_table/?tablename=tts_table`, { method: 'DELETE' });
  await upload(service.as, 'kept.py', '# kept\n');
  return { disk, data, service, lines };
}

function database(service: TestService, path: string, method: string, body: unknown) {
  return service.as('ENCHANTER', `/api/v2/database/${path}/`, { method, body });
}

const ready = async ({ service }: World) => (await service.as(undefined, '/health/ready')).json.parts.storage;
const stop = ({ service }: World) => service.as('USER', '/api/v2/stop', { method: 'POST' });
const removeRow = ({ service }: World, id: number) =>
  database(service, 'delete_item', 'DELETE', { tablename: TABLE, item: { id } });

/** What must go on whatever the disk is like. */
async function expectTheRestToGoOn(world: World, id: number): Promise<void> {
  const { service } = world;
  expect(await ready(world)).toEqual({ ok: false, reason: expect.stringContaining('SERVICE_MIN_FREE') });
  expect((await stop(world)).json).toMatchObject({ stopped: true });
  expect((await service.as('USER', `/api/v2/database/read/?tablename=${TABLE}`)).status).toBe(200);
  expect((await removeRow(world, id)).status).toBe(200);
}

describeOnDisks('A disk that has less free than is reserved', (mount) => {
  let world: World;
  beforeAll(async () => {
    world = await worldOn(mount(64 * MIB), { SERVICE_MIN_FREE: String(512 * MIB) });
  });
  afterAll(() => world.service.stop());

  const growing = WRITERS.filter(({ name }) => !/^the snapshot/.test(name));
  it.each(growing)('rejects $name with 507 and says how to fix it', async ({ write }) => {
    const { status, json } = await write(world.service.as);
    expect([status, json.code]).toEqual([507, 'storage_full']);
    expect(json.detail).toMatch(/^The disk has [\d.]+ MiB free, .*the last 512 MiB are reserved \(SERVICE_MIN_FREE\)/);
  });

  it('still allows stopping, reading and deleting', async () => {
    const { status } = await world.service.as('ADMIN', '/api/v2/database/exports/kept.csv', { method: 'DELETE' });
    expect(status).toBe(200);
    expect((await stop(world)).json).toMatchObject({ stopped: true });
    expect(await ready(world)).toMatchObject({ ok: false });
  });

  it('counts each rejection and logs it once', async () => {
    const { text } = await world.service.as(undefined, '/metrics');
    expect(Number(/^budget_exceeded_total\{budget="storage"\} (\d+)/m.exec(text)?.[1])).toBeGreaterThan(5);
    expect(world.lines.filter((line) => line.includes('"budget":"storage"'))).toHaveLength(1);
    expect(world.lines.filter((line) => line.includes('"code":"storage_full"'))).toHaveLength(1);
  });
});

describeOnDisks('A disk without a free byte', (mount) => {
  let world: World;
  let token: string;
  beforeAll(async () => {
    world = await worldOn(mount(64 * MIB));
  });
  afterAll(() => world.service.stop());

  const path = () => join(world.data, 'api-keys.json');
  const command = (...argv: string[]) => apiKey(argv, { HOME: world.data, SERVICE_DATA_DIR: world.data });
  const withToken = () =>
    http(world.service.url, '/api/v2/commands/', { headers: { authorization: `Bearer ${token}` } });
  async function keyOf(level: AccessLevel) {
    const { key, record } = await createKey(path(), { name: level, level });
    const { json } = await http(world.service.url, '/api/v2/auth/', { headers: { 'x-api-key': key } });
    return { id: record.id, token: json.token as string };
  }

  it('still allows revoking keys one after another, and the running service rejects their tokens', async () => {
    const keys = [await keyOf('USER'), await keyOf('ADMIN'), await keyOf('ENCHANTER')];
    world.disk.fill();
    for (const { id, token: theirs } of keys) {
      token = theirs;
      expect((await withToken()).status).toBe(200);
      expect(await command('revoke', '--id', id)).toBe(0);
      await until('it is refused', async () => (await withToken()).json.code === 'key_revoked');
    }
    expect(listKeys(path()).every(({ revoked_at }) => revoked_at !== null)).toBe(true);
  });

  it('still allows stopping, reading and deleting, and readiness reports the problem', async () => {
    for (let id = 1; id <= 10; id += 1) await expectTheRestToGoOn(world, id);
    const { status } = await world.service.as('ADMIN', '/api/v2/database/exports/kept.csv', { method: 'DELETE' });
    expect(status).toBe(200);
  });

  it('accepts data again once there is space', async () => {
    const item = { tablename: TABLE, item: { name: 'new' } };
    const add = () => upload(world.service.as, 'new.py', '# new\n');
    expect((await add()).json).toMatchObject({ code: 'storage_full' });
    world.disk.free();
    expect((await add()).status).toBe(200);
    expect((await database(world.service, 'add_item', 'POST', item)).status).toBe(200);
    expect(await ready(world)).toEqual({ ok: true });
    expect(await command('create', '--name', 'n', '--level', 'USER')).toBe(0);
  });
});
