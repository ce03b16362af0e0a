import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { http } from '../support/http.ts';
import { launch, runToEnd, type ServiceProcess, startProcess } from '../support/process.ts';
import { until } from '../support/processes.ts';
import { SELF_SIGNED } from '../support/self-signed.ts';
import { temporaryFolder } from '../support/world.ts';

const LOCATIONS = 'known_locations_table';
const UNIT = 'robot-vision.service';

describe('robot-rest-admin', () => {
  const folder = temporaryFolder();
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startProcess({ HOME: folder, ...SELF_SIGNED, SERVICE_STOP_PORT: '' });
    await until('the first key', () => service.key !== undefined);
  }, 120_000);
  afterAll(() => service.end());

  const environment = () => ({ PATH: process.env.PATH ?? '', HOME: folder, SERVICE_SOCKET_PATH: service.socketPath });
  const admin = (...words: string[]) => runToEnd(['admin', ...words], environment());
  /** The results of a command that succeeds, and what it notes. */
  async function results(...words: string[]) {
    const { code, stdout, stderr } = await admin(...words);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return { lines: lines.map((line) => JSON.parse(line)), stderr };
  }
  const file = (name: string, text = '') => {
    const path = join(folder, name);
    if (text !== '') writeFileSync(path, text);
    return path;
  };

  it('pairs another device, bound to the key that it names', async () => {
    const { key = '' } = service;
    const own = (await http(service.url, '/api/v2/auth/', { headers: { 'x-api-key': key } })).json.token;
    const { keys } = (await http(service.url, '/api/v2/keys/', { headers: { authorization: `Bearer ${own}` } })).json;
    const { lines } = await results('pair', '--level', 'ADMIN', '--key', keys[0].id);
    expect(lines[0].link).toMatch(new RegExp(`^https://[^/]+:\\d+/#pair=${lines[0].code}$`));
    const call = { method: 'POST', body: { code: lines[0].code } };
    const { json } = await http(service.url, '/api/v2/auth/pair', call);
    expect(json.access_level).toBe('ADMIN');
    const renewed = { headers: { authorization: `Bearer ${json.token}` } };
    expect((await http(service.url, '/api/v2/auth/refresh/', renewed)).status).toBe(200);
  });

  it('says that a code without a key is good for half an hour, and shows the fingerprint', async () => {
    const { stderr } = await results('pair');
    expect(stderr).toMatch(/SHA-256: ([0-9A-F]{2}:){31}[0-9A-F]{2}\n.*after 30 minutes/);
  });

  it('shows the fingerprint of the certificate, and the certificate', async () => {
    const { stdout } = await admin('certificate');
    const [, port] = /^Port: (\d+)$/m.exec(stdout) ?? [];
    const { stdout: ca } = await admin('certificate', '--pem');
    expect((await http(`https://127.0.0.1:${port}`, '/status', { ca })).json.status).toBe('ok');
    expect(stdout).toMatch(/^SHA-256 fingerprint: ([0-9A-F]{2}:){31}[0-9A-F]{2}$/m);
    expect(stdout).toMatch(/^Names: .*localhost.*127\.0\.0\.1/m);
  });

  it('takes a CSV in after a dry run, gives it back, and lists the table', async () => {
    const path = file('places.csv', 'id,color\r\nhall,blue\r\nkitchen,red\r\n');
    expect((await results('tables', 'upload', LOCATIONS, path, '--dry-run')).lines).toEqual([
      { inserted: 2, updated: 0, unchanged: 0, backup: null },
    ]);
    expect((await results('tables', 'upload', LOCATIONS, path)).lines[0].inserted).toBe(2);
    const saved = file('saved.csv');
    expect(await admin('tables', 'download', LOCATIONS, '--output', saved)).toMatchObject({ code: 0, stdout: '' });
    expect((await admin('tables', 'download', LOCATIONS)).stdout).toBe(readFileSync(path, 'utf8'));
    expect(readFileSync(saved, 'utf8')).toBe(readFileSync(path, 'utf8'));
    expect(statSync(saved).mode & 0o777).toBe(0o600);
    const { lines } = await results('tables', 'list');
    expect(lines.find(({ name }) => name === LOCATIONS).rows).toBe(2);
  });

  it('makes a snapshot, brings it away and back under another name, and restores it', async () => {
    const [{ backup }] = (await results('backups', 'create')).lines;
    const path = file('snapshot-brought.sqlite');
    expect((await admin('backups', 'download', backup, '--output', path)).code).toBe(0);
    await results('tables', 'upload', LOCATIONS, file('more.csv', 'id,color\r\nporch,green\r\n'));
    await results('backups', 'upload', path);
    const { lines } = await results('backups', 'list');
    expect(lines.map(({ name }) => name)).toEqual(expect.arrayContaining([backup, 'snapshot-brought.sqlite']));
    expect((await results('backups', 'restore', 'snapshot-brought.sqlite')).lines[0].rows[LOCATIONS]).toBe(2);
    expect((await admin('tables', 'download', LOCATIONS)).stdout).not.toContain('porch');
  });

  it('restarts a unit, lists it, and reads its log as text, as JSON, from a cursor and as it grows', async () => {
    const { lines, stderr } = await results('services', 'restart', 'head', UNIT);
    expect([lines[0].active_state, stderr]).toEqual(['activating', expect.stringContaining('services list')]);
    const listed = (await results('services', 'list')).lines;
    expect(listed).toContainEqual(expect.objectContaining({ system: 'head', name: UNIT }));
    expect((await admin('services', 'logs', 'head', UNIT, '--lines', '2')).stdout).toMatch(/^(\d{4}-.*\n){2}$/);
    const [{ cursor, entries }] = (await results('services', 'logs', 'head', UNIT, '--lines', '3', '--json')).lines;
    expect(entries).toHaveLength(3);
    const since = await results('services', 'logs', 'head', UNIT, '--json', '--cursor', cursor);
    expect(since.lines[0].entries).not.toContainEqual(entries[2]);
    const follow = launch(['admin', 'services', 'logs', 'head', UNIT, '--follow'], environment());
    await until('a new entry', () => follow.said.stdout.includes('\n'));
    follow.child.kill();
    expect(JSON.parse(follow.said.stdout.split('\n')[0] ?? '')).toMatchObject({ message: expect.any(String) });
  });

  it('reads the entries of a window, of a severity and with a text', async () => {
    const read = async (...words: string[]) =>
      (await results('services', 'logs', 'head', UNIT, '--json', ...words)).lines[0].entries;
    const [{ timestamp, message }] = await read('--lines', '1');
    expect(await read('--since', timestamp, '--until', timestamp)).toContainEqual(
      expect.objectContaining({ timestamp }),
    );
    expect(await read('--until', '2020-01-01T00:00:00Z')).toEqual([]);
    expect(await read('--priority', '0')).toEqual([]);
    expect(await read('--grep', message, '--lines', '1')).toMatchObject([{ message }]);
    expect(await read('--grep', 'nobody logs this')).toEqual([]);
  });

  it('leaves its traces in the audit trail, as what a caller over the socket did', () => {
    const trail = ['audit.jsonl', 'audit-lasting.jsonl'].map((name) =>
      readFileSync(join(folder, '.robot-rest', name), 'utf8'),
    );
    for (const action of ['pairing.create', 'service.restart']) {
      expect(trail.join('')).toMatch(new RegExp(`"action":"${action}".*"listener":"socket"`));
    }
  });

  it.each<[string, () => string[], RegExp]>([
    ['an unknown table', () => ['tables', 'download', 'nothing_table'], /\(unknown_table\)\n$/],
    [
      'a wrong line',
      () => ['tables', 'upload', LOCATIONS, file('wrong.csv', 'id,color\nx\n')],
      /line 2.*\(invalid_csv\)/,
    ],
    [
      'a file that is no database',
      () => ['backups', 'upload', file('snapshot-x.sqlite', 'hello')],
      /\(backup_invalid\)/,
    ],
    [
      'a name that is none',
      () => ['backups', 'download', '../../etc/passwd'],
      /^The name of a snapshot.*\(validation_failed\)\n$/,
    ],
    ['a unit of its own', () => ['services', 'restart', 'head', 'robot-rest.service'], /\(unit_not_allowed\)/],
    ['a level above its own', () => ['pair', '--level', 'ENCHANTER'], /\(insufficient_access\)/],
    ['a level that may not touch the whole robot', () => ['robot', 'archives'], /\(insufficient_access\)/],
    ['no such file', () => ['tables', 'upload', LOCATIONS, file('none.csv')], /Could not read .*none\.csv \(ENOENT\)/],
    ['a folder', () => ['tables', 'upload', LOCATIONS, folder], /is not a file/],
    ['a file that exists', () => ['tables', 'download', LOCATIONS, '--output', file('there', 'x')], /exists already/],
  ])('fails with one sentence for %s', async (_name, words, sentence) => {
    const before = readdirSync(folder);
    const { code, stdout, stderr } = await admin(...words());
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
    expect(readdirSync(folder).length - before.length).toBeLessThanOrEqual(1);
  });

  it.each([
    [[]],
    [['tables']],
    [['tables', 'drop']],
    [['tables', 'upload', 'x']],
    [['services', 'logs', 'head']],
    [['pair', '--level', 'ADMIN', 'x']],
    [['backups', 'list', '--all']],
    [['__proto__']],
  ])('explains its use after %j', async (words) => {
    const { code, stdout, stderr } = await admin(...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Usage: robot-rest-admin');
  });

  it('names the socket when nobody answers there', async () => {
    const nowhere = { ...environment(), SERVICE_SOCKET_PATH: join(folder, 'none.sock') };
    expect(await runToEnd(['admin', 'tables', 'list'], nowhere)).toMatchObject({
      code: 1,
      stderr: `The service does not answer on ${folder}/none.sock (ENOENT). Is the service running?\n`,
    });
    const off = { ...environment(), SERVICE_SOCKET_PATH: '' };
    expect((await runToEnd(['admin', 'tables', 'list'], off)).stderr).toContain('has no Unix socket');
  });

  it('leaves no file of a download that is cut off', async () => {
    const socketPath = join(folder, 'cut.sock');
    const server = createServer((request, response) => {
      if (request.url === '/api/v2/auth/') response.end('{"token":"t"}');
      else response.write('id,color\n', () => response.destroy());
    }).listen(socketPath);
    await until('it listens', () => existsSync(socketPath));
    chmodSync(socketPath, 0o666);
    const output = file('cut.csv');
    const words = ['admin', 'tables', 'download', LOCATIONS, '--output', output];
    const { code, stderr } = await runToEnd(words, { ...environment(), SERVICE_SOCKET_PATH: socketPath });
    server.close();
    expect([code, stderr]).toEqual([1, expect.stringContaining('Could not save')]);
    expect(existsSync(output)).toBe(false);
  });
});
