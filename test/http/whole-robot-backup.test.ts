import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { until } from '../support/processes.ts';
import { digestsBelow, sha256, unpack } from '../support/robot-archive.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

const SECRETS = {
  SERVICE_ROBOT_URL: 'sim:',
  SERVICE_RELAY_URL: 'mqtt://robot:open-sesame@127.0.0.1:1/',
};

describe('A backup of the whole robot', () => {
  const dataDir = temporaryFolder();
  let service: TestService;
  beforeAll(async () => {
    writeFileSync(join(dataDir, 'rosbridge.yaml'), 'commands: {}\n');
    service = await startTestService({ settings: { SERVICE_DATA_DIR: dataDir, ...SECRETS } });
  });
  afterAll(() => service.stop());

  const pack = (level: 'ENCHANTER' | 'ADMIN' = 'ENCHANTER') => service.as(level, '/api/v2/backup/', { method: 'POST' });
  const leftovers = () => readdirSync(join(dataDir, 'archives')).filter((name) => name.startsWith('unfinished-'));

  it('holds every file as it is, and a manifest as its last member that says so', async () => {
    const skills = join(dataDir, 'skills');
    mkdirSync(join(skills, 'lib', 'été'), { recursive: true });
    mkdirSync(join(skills, '__pycache__'), { recursive: true });
    writeFileSync(join(skills, 'lib', 'été', `${'long'.repeat(50)}.py`), 'x = 1\n');
    writeFileSync(join(skills, 'empty.py'), '');
    writeFileSync(join(skills, '__pycache__', 'a.pyc'), 'x');
    symlinkSync('/etc/passwd', join(skills, 'link.py'));
    await service.as('USER', '/api/v2/database/add_item/', {
      method: 'POST',
      body: { tablename: 'robots_table', item: { name: 'Pip' } },
    });

    const { status, headers, bytes } = await pack();
    expect([status, headers['content-type']]).toEqual([200, 'application/gzip']);
    expect(headers['content-disposition']).toMatch(/^attachment; filename="robot-robot-1-\d{8}T\d{6}Z\.tar\.gz"$/);
    const { folder, members, manifest } = unpack(bytes);
    expect(members.at(-1)).toBe('manifest.json');
    expect(manifest).toMatchObject({
      format: 1,
      version: 'dev',
      schema: 3,
      robot_id: 'robot-1',
      parts: ['database', 'skills', 'language_model', 'description', 'mapping'],
    });
    const listed = manifest.files.map(({ path, size, sha256: digest }: Record<string, string>) => [path, size, digest]);
    const found = Object.entries(digestsBelow(folder)).filter(([path]) => path !== 'manifest.json');
    const sized = found.map(([path, digest]) => [path, readFileSync(join(folder, path)).length, digest]);
    expect(Object.fromEntries(listed.map((row: string[]) => [row[0], row]))).toEqual(
      Object.fromEntries(sized.map((row) => [row[0], row])),
    );

    const { '__pycache__/a.pyc': _cache, ...own } = digestsBelow(skills);
    expect(digestsBelow(join(folder, 'skills'))).toEqual(own);
    expect(digestsBelow(join(folder, 'description'))).toEqual(digestsBelow(join(dataDir, 'description')));
    expect(sha256(readFileSync(join(folder, 'language-model.yaml')))).toBe(
      sha256(readFileSync(join(dataDir, 'llm_config.yaml'))),
    );
    const copy = new Database(join(folder, 'database.sqlite'), { readonly: true });
    expect(copy.prepare('select name from robots_table').pluck().all()).toContain('Pip');
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
    copy.close();
  });

  it('holds no key and no password, only settings with their secrets masked', async () => {
    const { folder, members } = unpack((await pack()).bytes);
    expect(members.filter((name) => /key|token|\.pem|audit/.test(name))).toEqual([]);
    const settings = JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8'));
    expect(settings).toMatchObject({ SERVICE_RELAY_URL: 'mqtt://robot:***@127.0.0.1:1/', SERVICE_MODE: 'sim' });
    expect(settings.SERVICE_ALLOWED_UNITS).toBe('head=*.service;base=*.service');
  });

  it('leaves the tables of other programs where they are', async () => {
    const other = new Database(join(dataDir, 'robot.sqlite'));
    other.exec("create table diary (text); insert into diary values ('mine'); create view spy as select * from diary");
    other.close();
    const { folder } = unpack((await pack()).bytes);
    const copy = new Database(join(folder, 'database.sqlite'), { readonly: true });
    expect(copy.prepare("select name from sqlite_schema where name in ('diary', 'spy')").all()).toEqual([]);
    copy.close();
    expect(readFileSync(join(folder, 'database.sqlite')).includes('mine')).toBe(false);
  });

  it('needs ENCHANTER, is made once at a time, and leaves nothing behind when its reader hangs up', async () => {
    expect((await pack('ADMIN')).json).toMatchObject({ status: 403, code: 'insufficient_access' });
    writeFileSync(join(dataDir, 'skills', 'large.bin'), randomBytes(10_000_000));
    const authorization = `Bearer ${await service.token('ENCHANTER')}`;
    const answered = await new Promise<{ destroy(): void }>((resolve, reject) => {
      const call = request(`${service.url}/api/v2/backup/`, { method: 'POST', headers: { authorization } });
      call.on('error', reject).once('response', resolve).end();
    });
    expect((await pack()).json).toMatchObject({ status: 409, code: 'busy' });
    answered.destroy();
    await until('the unfinished backup is gone', () => leftovers().length === 0);
    expect((await pack()).status).toBe(200);
    await until('nothing unfinished is left', () => leftovers().length === 0);
  });
});
