import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { listKeys } from '../../functions/shared/identity/adapters/key-store/edit.ts';
import { http } from '../support/http.ts';
import { runToEnd, startProcess } from '../support/process.ts';
import { until } from '../support/processes.ts';
import { temporaryFolder } from '../support/world.ts';

const HOME = temporaryFolder();
const run = (args: readonly string[], settings: Record<string, string> = {}) =>
  runToEnd(['api-key', ...args], { HOME, ...settings });

describe('npm run --silent api-key', () => {
  it('creates a key and prints only the key, lists it without its secret, and revokes it', async () => {
    const created = await run(['create', '--name', 'tablet', '--level', 'USER', '--robots', 'robot-1, robot-2']);
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^rk_[A-Za-z0-9_-]{43}\n$/) });
    const listed = await run(['list']);
    expect(listed.stdout).not.toMatch(/sha256|rk_/);
    const record = JSON.parse(listed.stdout);
    expect(record).toMatchObject({ name: 'tablet', level: 'USER', robots: ['robot-1', 'robot-2'], revoked_at: null });
    expect(await run(['revoke', '--id', record.id])).toMatchObject({ code: 0, stdout: '' });
    expect(JSON.parse((await run(['list'])).stdout).revoked_at).toMatch(/^\d{4}-/);
  });

  it.each([['api-key'], ['jwt-key'], ['link'], ['main']])(
    'says what %s can do, and which build it is',
    async (program) => {
      for (const [argument, shown] of [
        ['--help', /^Usage:\n/],
        ['--version', /^robot-rest \d+\.\d+\.\d+\+\d+\n$/],
      ] as const) {
        expect(await runToEnd([program, argument], { HOME })).toMatchObject({
          code: 0,
          stdout: expect.stringMatching(shown),
          stderr: '',
        });
      }
    },
  );

  it('refuses a misspelt word, as the service itself does', async () => {
    expect(await runToEnd(['main', '--emtpy'], { HOME })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Usage:'),
    });
  });

  it.each(
    [
      [],
      ['destroy'],
      ['__proto__'],
      ['create'],
      ['create', '--name', 'x'],
      ['create', '--name', 'x', '--level', 'admin'],
      ['create', '--name', '', '--level', 'USER'],
      ['create', '--name', 'x'.repeat(101), '--level', 'USER'],
      ['create', '--name', 'x', '--level', 'USER', '--robots', 'a b'],
      ['create', '--name', 'x', '--level', 'USER', '--key', 'mine'],
      ['list', '--all'],
      ['revoke'],
    ].map((args) => ({ args })),
  )(
    'explains itself when called with $args',
    async ({ args }) => {
      const { code, stdout, stderr } = await run(args);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('Usage:');
    },
    60_000,
  );

  it.each([
    ['a setting that cannot be used', ['list'], { SERVICE_PORT: 'many' }],
    ['keys that come from the environment', ['list'], { SERVICE_API_KEYS: '{"keys":[]}' }],
    ['an unknown id', ['revoke', '--id', 'unknown'], {}],
    ['a data folder that cannot be', ['create', '--name', 'x', '--level', 'USER'], { SERVICE_DATA_DIR: '/dev/null/x' }],
  ])(
    'ends with one line for %s',
    async (_name, args, settings) => {
      const { code, stdout, stderr } = await run(args, { HOME: temporaryFolder(), ...settings });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^[^\n]+\n$/);
    },
    60_000,
  );

  it('revokes one of several keys and keeps the others', async () => {
    const settings = { HOME: temporaryFolder() };
    for (const name of ['one', 'two']) await run(['create', '--name', name, '--level', 'USER'], settings);
    const listed = async () =>
      (await run(['list'], settings)).stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    const [first] = await listed();
    await run(['revoke', '--id', first.id], settings);
    expect((await listed()).map(({ name, revoked_at }) => [name, revoked_at !== null])).toEqual([
      ['one', true],
      ['two', false],
    ]);
  });

  it('names the file that it changed, and warns while no service uses its folder', async () => {
    const create = ['create', '--name', 'x', '--level', 'USER'];
    const folder = join(temporaryFolder(), 'data');
    const unused = await run(create, { SERVICE_DATA_DIR: folder });
    expect(unused.stderr).toContain(` in ${folder}/api-keys.json. `);
    expect(unused.stderr).toContain(`no running service uses ${folder}.`);
    const service = await startProcess({ SERVICE_DATA_DIR: folder });
    try {
      await until('it is ready', async () => (await http(service.url, '/health/ready')).status === 200);
      const used = await run(create, { SERVICE_DATA_DIR: folder });
      expect(used.stderr).toMatch(/^Created key [^\n]*\n$/);
      const other = await run(['revoke', '--id', 'local'], { SERVICE_DATA_DIR: join(folder, 'exports') });
      expect(other.stderr).toContain('no running service uses');
    } finally {
      await service.end();
    }
  });

  it('still works if the audit trail cannot be written, and says so', async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, '.robot-rest', 'audit-lasting.jsonl'), { recursive: true });
    const created = await run(['create', '--name', 'x', '--level', 'USER'], { HOME: home });
    expect([created.code, created.stdout]).toEqual([0, expect.stringMatching(/^rk_/)]);
    expect(created.stderr).toContain('could not write to the audit trail');
  });

  it('loses none of ten keys created concurrently', async () => {
    const home = temporaryFolder();
    const names = Array.from({ length: 10 }, (_, index) => `n${index}`);
    const ended = await Promise.all(
      names.map((name) => run(['create', '--name', name, '--level', 'USER'], { HOME: home })),
    );
    expect(ended.map(({ code }) => code)).toEqual(Array(10).fill(0));
    const records = listKeys(join(home, '.robot-rest', 'api-keys.json'));
    expect(records.map(({ name }) => name).sort()).toEqual(names);
  });
});
