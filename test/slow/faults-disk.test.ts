import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freshEnvironment, runToEnd } from '../support/process.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { describeOnDisks, type SmallDisk } from '../support/small-disk.ts';
import { contents, upload, WRITERS } from '../support/writers.ts';

const MEGABYTE = 1024 ** 2;
/** The filler, the audit trail, which goes on, and the database's own files, whose rows are looked at instead. */
const MOVING = /^(filler|audit(-lasting)?\.jsonl.*|robot\.sqlite.*)$/;
const READ = '/api/v2/database/read/?tablename=robots_table';

/** A service on this disk that has one of everything already. */
async function serviceOn(disk: SmallDisk, settings: Record<string, string> = {}): Promise<TestService> {
  const data = join(disk.folder, 'data');
  const service = await startTestService({ settings: { SERVICE_DATA_DIR: data, SERVICE_MIN_FREE: '0', ...settings } });
  const post = async (path: string, body: unknown) => {
    const { status, text } = await service.as('ENCHANTER', `/api/v2/database/${path}/`, { method: 'POST', body });
    if (status !== 200) throw new Error(text);
  };
  if ((await upload(service.as, 'kept.py', '# kept\n')).status !== 200) throw new Error('no upload');
  const rows = Array.from({ length: 100 }, (_, n) => `${n + 1},${'robot '.repeat(50)}`).join('\r\n');
  const exports = join(data, 'exports');
  mkdirSync(exports, { recursive: true });
  writeFileSync(join(exports, 'large.csv'), `id,name\r\n${rows}\r\n`);
  writeFileSync(join(exports, 'incoming.csv'), `id,name\r\n1,${'x'.repeat(3 * MEGABYTE)}\r\n`);
  await post('import_table', { tablename: 'robots_table', path: 'large.csv' });
  await post('export_table', { tablename: 'robots_table', path: 'kept.csv' });
  await service.as('ENCHANTER', '/api/v2/database/clear_table/?tablename=robots_table', { method: 'DELETE' });
  await post('import_table', { tablename: 'robots_table', path: 'large.csv' });
  await service.as('ADMIN', '/api/v2/skill/list/');
  return service;
}

describeOnDisks('A full disk, for a service that runs', (mount) => {
  let disk: SmallDisk;
  let service: TestService;
  beforeAll(async () => {
    disk = mount(48 * MEGABYTE);
    service = await serviceOn(disk);
    disk.fill();
  });
  afterAll(() => service.stop());

  it.each(WRITERS)('rejects $name with 507, and changes nothing', async ({ write }) => {
    const folder = service.ports.config.SERVICE_DATA_DIR;
    const [files, rows] = [contents(folder, MOVING), (await service.as('ADMIN', READ)).text];
    const { status, json } = await write(service.as);
    expect([status, json.code]).toEqual([507, 'storage_full']);
    expect(contents(folder, MOVING)).toEqual(files);
    expect((await service.as('ADMIN', READ)).text).toBe(rows);
  });

  it.each([
    ['a command', '/api/v2/int/', { command: 'sound_level', value: 40 }],
    ['a stop', '/api/v2/stop', undefined],
    [
      'a Wi-Fi configure, whose record is lost',
      '/api/v2/network/configure/',
      { ssid: 'Workshop', password: 'simulated' },
    ],
  ])('still runs %s', async (_what, path, body) => {
    const call = { method: 'POST', ...(body === undefined ? {} : { body }) };
    expect((await service.as('ENCHANTER', path, call)).status).toBe(200);
  });

  it('recovers once there is space, and the audit trail has recorded everything', async () => {
    disk.free();
    for (const { name, write } of WRITERS) {
      const { status } = await write(service.as);
      expect([name, status === 200 || status === 201]).toEqual([name, true]);
    }
    const { json } = await service.as('ENCHANTER', '/api/v2/audit/?limit=100');
    const outcomes = json.entries.map(({ action, outcome }: Record<string, string>) => `${action} ${outcome}`);
    expect(outcomes).toContain('skill.upload storage_full');
  });
});

describeOnDisks('A disk that turns read-only', (mount) => {
  let disk: SmallDisk;
  let service: TestService;
  beforeAll(async () => {
    disk = mount(48 * MEGABYTE);
    const first = await serviceOn(disk);
    await first.stop();
    disk.makeReadOnly();
    service = await startTestService({ settings: { SERVICE_DATA_DIR: first.ports.config.SERVICE_DATA_DIR } });
  });
  afterAll(() => service.stop());

  it.each(WRITERS)('rejects $name with 503, naming what cannot be written', async ({ write }) => {
    const { status, json } = await write(service.as);
    expect([status, json.code]).toEqual([503, 'component_unavailable']);
    expect(json.detail).toMatch(/^The component "[a-z -]+" is not available\. [A-Z]/);
  });

  it('still runs a command and a stop', async () => {
    const body = { command: 'sound_level', value: 40 };
    expect((await service.as('USER', '/api/v2/int/', { method: 'POST', body })).status).toBe(200);
    expect((await service.as('USER', '/api/v2/stop', { method: 'POST' })).status).toBe(200);
  });

  it('is reported by readiness', async () => {
    const { status, json } = await service.as(undefined, '/health/ready');
    expect([status, json.parts.database.ok, json.parts.skills_folder.ok]).toEqual([503, false, false]);
  });
});

describeOnDisks('The commands for keys', (mount) => {
  const kinds: Array<[string, (disk: SmallDisk) => void, RegExp]> = [
    ['full', (disk) => disk.fill(), /ENOSPC|full|no space/i],
    ['read-only', (disk) => disk.makeReadOnly(), /EROFS|read-only/i],
  ];

  it.each(kinds)('report a %s disk, exit with 1, and change no key', async (_kind, spoil, words) => {
    const disk = mount(MEGABYTE);
    const environment = freshEnvironment({ HOME: disk.folder });
    const create = ['api-key', 'create', '--name', 'n', '--level', 'USER'];
    expect((await runToEnd(create, environment)).code).toBe(0);
    expect((await runToEnd(['jwt-key', 'rotate', '--now'], environment)).code).toBe(0);
    const keeping = join(disk.folder, '.robot-rest');
    const before = contents(keeping, /audit/);
    spoil(disk);
    for (const command of [create, ['jwt-key', 'rotate', '--now'], ['jwt-key', 'rotate']]) {
      const { code, stdout, stderr } = await runToEnd(command, environment);
      expect([command[0], code, stdout]).toEqual([command[0], 1, '']);
      expect(stderr).toMatch(words);
      expect(stderr).not.toContain('    at ');
    }
    expect(contents(keeping, /audit/)).toEqual(before);
  });

  it.each(kinds)(
    'on a %s disk a first start ends with a sentence, and leaves no half-made key',
    async (_kind, spoil, words) => {
      const disk = mount(MEGABYTE);
      spoil(disk);
      const { code, stderr } = await runToEnd([], freshEnvironment({ HOME: disk.folder, SERVICE_SOCKET_PATH: '' }));
      expect(code).toBe(1);
      expect(stderr).toMatch(words);
      expect(stderr).not.toContain('    at ');
      expect(contents(disk.folder, /^filler$/)).toEqual({});
    },
  );
});
