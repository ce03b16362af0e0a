import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { http } from '../support/http.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

describe('The simulated parts', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  const get = async (command: string) => (await service.as('USER', `/api/v2/get/${command}`)).json.result;
  const post = (path: string, body: unknown) => service.as('USER', `/api/v2/${path}/`, { method: 'POST', body });
  const add = (tablename: string, item: unknown) => post('database/add_item', { tablename, item });

  it('have one loudspeaker: sound_level sets the volume', async () => {
    const volume = async () => (await service.as('USER', '/api/v2/volume/')).json.percentage.value;
    await post('commands/sound_level', { value: 33 });
    expect(await volume()).toBe(33);
    await post('volume', { percentage: { value: 44 } });
    expect(await volume()).toBe(44);
  });

  it('know the locations and runes of the tables', async () => {
    expect([await get('list_all_location_ids'), await get('get_all_runes_details')]).toEqual([[], []]);
    await add('known_locations_table', { id: 'library' });
    await add('known_runes_table', { id: 'rune-1', label: 'Front desk' });
    await add('known_runes_table', { id: 'rune-new' });
    expect(await get('list_all_location_ids')).toEqual(['library']);
    expect(await get('pddl_problem')).toContain('(:objects library - location)');
    expect(await get('get_all_runes_details')).toMatchObject([
      { id: 'rune-1', label: 'Front desk', x: 0, y: 1 },
      { id: 'rune-new', label: 'rune-new', x: expect.any(Number) },
    ]);
    expect(await get('get_detected_runes')).toEqual(['rune-1', 'rune-new']);
    const { json } = await post('commands/is_detected', { value: 'rune-2' });
    expect(json.result).toBe(false);
    await service.as('USER', '/api/v2/database/clear_table/', {
      method: 'DELETE',
      body: { tablename: 'known_runes_table', item: {} },
    });
  });
});

describe('A first start in sim mode', () => {
  const tables = ['robots_table', 'known_locations_table', 'known_runes_table', 'animations_table', 'tts_table'];

  async function rowsAt(service: ServiceProcess): Promise<number[]> {
    const auth = await http(service.socketPath, '/api/v2/auth/');
    const headers = { authorization: `Bearer ${auth.json.token}` };
    const read = async (table: string) =>
      (await http(service.url, `/api/v2/database/read/?tablename=${table}`, { headers })).json.length;
    return Promise.all(tables.map(read));
  }

  it('fills the tables with a small robot once', async () => {
    const HOME = temporaryFolder();
    const first = await startProcess({ HOME }, undefined, []);
    await until(async () => (await rowsAt(first)).at(-1) === 1);
    expect(await rowsAt(first)).toEqual([1, 4, 4, 2, 1]);
    const auth = await http(first.socketPath, '/api/v2/auth/');
    const headers = { authorization: `Bearer ${auth.json.token}` };
    const read = (path: string) => http(first.url, path, { headers });
    expect((await read('/api/v2/get/list_all_location_ids')).json.result).toContain('kitchen');
    expect((await read('/api/v2/database/read/?tablename=robots_table')).json).toMatchObject([{ name: 'Pip' }]);
    expect((await read('/api/v2/get/get_character_name')).json.result).toBe('Pip');
    await read('/api/v2/clear_database');
    await first.end();
    const second = await startProcess({ HOME }, undefined, []);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await rowsAt(second)).toEqual([0, 0, 0, 0, 0]);
    await second.end();
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['with --empty', {}, ['--empty']],
    ['in robot mode', { SERVICE_MODE: 'robot', SERVICE_ROBOT_URL: 'sim:', SERVICE_HOST: '127.0.0.1' }, []],
  ])(
    'leaves the tables empty %s',
    async (_how, settings, args) => {
      const service = await startProcess(settings, undefined, args);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(await rowsAt(service)).toEqual([0, 0, 0, 0, 0]);
      await service.end();
    },
    60_000,
  );
});
