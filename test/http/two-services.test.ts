import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HttpCall, http } from '../support/http.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { until } from '../support/processes.ts';
import { temporaryFolder } from '../support/world.ts';

const ROWS = 40;
const CHANGES = [
  ['max_tokens', 77],
  ['temperature', 0.25],
] as const;

describe('Two services started at the same time on one data folder', () => {
  const home = temporaryFolder();
  let services: ServiceProcess[];
  let tokens: string[];
  beforeAll(async () => {
    const start = (name: string) =>
      startProcess({
        HOME: home,
        SERVICE_SOCKET_PATH: join(home, `${name}.sock`),
        SERVICE_SOCKET_ACCESS_LEVEL: 'ENCHANTER',
      });
    services = await Promise.all([start('one'), start('two')]);
    tokens = await Promise.all(
      services.map(async ({ socketPath }) => (await http(socketPath, '/api/v2/auth/')).json.token),
    );
  });
  afterAll(() => Promise.all(services.map((service) => service.end())));

  const ask = (which: number, path: string, call: HttpCall = {}) =>
    http(services[which]?.url ?? '', path, { ...call, headers: { authorization: `Bearer ${tokens[which]}` } });

  it("create one signing key and one first API key, and accept each other's tokens and keys", async () => {
    const sets = await Promise.all([0, 1].map((which) => ask(which, '/.well-known/jwks.json')));
    expect(sets[0]?.json).toEqual(sets[1]?.json);
    const there = () => services.flatMap(({ key }) => key ?? []);
    await until('the first key is told', () => there().length > 0);
    const [key = ''] = there();
    for (const { url } of services)
      expect((await http(url, '/api/v2/auth/', { headers: { 'x-api-key': key } })).status).toBe(200);
    tokens.reverse();
    expect((await ask(0, '/api/v2/get/get_pose')).status).toBe(200);
    const { keys } = JSON.parse(readFileSync(join(home, '.robot-rest', 'api-keys.json'), 'utf8')) as {
      keys: unknown[];
    };
    expect([there().length, keys.length]).toEqual([1, 1]);
  });

  it("lose none of each other's rows, configuration changes and audit entries", async () => {
    const row = (n: number) => ({ tablename: 'robots_table', item: { name: `robot ${n}` } });
    const works = Array.from({ length: ROWS }, (_, n) => [
      ask(n % 2, '/api/v2/database/add_item/', { method: 'POST', body: row(n) }),
      ask(n % 2, '/api/v2/int/', { method: 'POST', body: { command: 'sound_level', value: n } }),
    ]);
    const changes = CHANGES.map(([command, value], which) =>
      ask(which, '/api/v2/llm_config/', { method: 'PATCH', body: { command, value } }),
    );
    const answers = await Promise.all([...works.flat(), ...changes]);
    expect(answers.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
    for (const which of [0, 1]) {
      const rows = (await ask(which, '/api/v2/database/read/?tablename=robots_table')).json as { name: string }[];
      expect(rows.map(({ name }) => name).sort()).toEqual(Array.from({ length: ROWS }, (_, n) => `robot ${n}`).sort());
      expect((await ask(which, '/api/v2/llm_config/')).json).toMatchObject(Object.fromEntries(CHANGES));
      const { entries } = (await ask(which, '/api/v2/audit/?action=command&limit=1000')).json;
      expect(entries.length).toBe(ROWS);
    }
  });

  it('clear a table with a snapshot that the other can restore', async () => {
    const { json } = await ask(0, '/api/v2/database/clear_table/?tablename=robots_table', { method: 'DELETE' });
    expect(json.deleted).toBe(ROWS);
    expect((await ask(1, '/api/v2/database/read/?tablename=robots_table')).json).toEqual([]);
    const restored = await ask(1, '/api/v2/database/restore/', { method: 'POST', body: { backup: json.backup } });
    expect(restored.json.rows.robots_table).toBe(ROWS);
    expect((await ask(0, '/api/v2/database/read/?tablename=robots_table')).json).toHaveLength(ROWS);
  });
});
