import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const post = (path: string, body?: unknown) => service.as('USER', path, { method: 'POST', body });

describe.each(['v1', 'v2'])('Commands through a real socket, %s', (version) => {
  it("echoes the value of a typed command and returns the robot's answer", async () => {
    const { status, json } = await post(`/api/${version}/int/`, { command: 'sound_level', value: 37 });
    expect([status, json.command, json.value]).toEqual([200, 'sound_level', 37]);
    expect(json).toHaveProperty('result');
  });

  it('serves a query with GET', async () => {
    const { json } = await service.as('USER', `/api/${version}/get/get_battery_level`);
    expect(json).toEqual({ command: 'get_battery_level', result: expect.any(Number), ok: true });
  });

  it('starts a mission, waits for it, and waits for it again', async () => {
    const started = (await post(`/api/${version}/dict/`, { command: 'skill', value: { name: 'wait', seconds: 0.1 } }))
      .json.result;
    expect(started).toEqual({ called: true, msg: expect.any(String) });
    const wait = () => post(`/api/${version}/str/`, { command: 'wait_for_skill', value: started.msg });
    expect((await wait()).json.result).toMatchObject({ awaited: true, start_result: { started: true } });
    expect((await wait()).json.result).toMatchObject({ awaited: true });
    expect((await wait()).json.result).toMatchObject({ awaited: false, msg: 'Mission not found' });
  });

  it('stops without a body, with any content type, and cancels running missions', async () => {
    const { msg } = (await post(`/api/${version}/dict/`, { command: 'skill', value: { name: 'wave' } })).json.result;
    const waiting = post(`/api/${version}/str/`, { command: 'wait_for_skill', value: msg });
    const headers = { 'content-type': 'image/png', 'content-encoding': 'gzip' };
    const stopped = await service.as('USER', `/api/${version}/stop`, { method: 'POST', headers, body: 'anything' });
    expect(stopped.status).toBe(200);
    expect((await waiting).json.result).toMatchObject({ awaited: false });
  });

  it.each<[string, string, unknown, number, string]>([
    ['a command of another kind', 'str', { command: 'sound_level', value: '10' }, 422, 'wrong_value_type'],
    ['a command that does not exist', 'int', { command: 'fly', value: 1 }, 404, 'unknown_command'],
    ['a value out of bounds', 'int', { command: 'sound_level', value: 101 }, 422, 'validation_failed'],
    ['a fraction for an int', 'int', { command: 'sound_level', value: 1.5 }, 422, 'validation_failed'],
    ['a bool for an int', 'int', { command: 'sound_level', value: true }, 422, 'validation_failed'],
    ['text for a bool', 'bool', { command: 'set_obstacle_avoidance', value: 'true' }, 422, 'validation_failed'],
    ['an unknown axis', 'coordinates', { command: 'go_to_absolute', value: { x: 1, w: 2 } }, 422, 'validation_failed'],
    ['a further member', 'int', { command: 'sound_level', value: 1, extra: 1 }, 422, 'validation_failed'],
  ])('rejects %s', async (_name, kind, body, status, code) => {
    const answer = await post(`/api/${version}/${kind}/`, body);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });
});

describe('The command-specific path of v2', () => {
  it('moves the robot, with missing axes as zero', async () => {
    const { json } = await post('/api/v2/commands/go_to_relative/', { value: { x: 0.05 } });
    expect(json).toMatchObject({ command: 'go_to_relative', value: { x: 0.05, y: 0, z: 0, theta: 0 } });
    let x = 0;
    while (x < 0.05) x = (await service.as('USER', '/api/v2/commands/get_pose/', { method: 'POST' })).json.result.x;
    expect(x).toBeCloseTo(0.05, 6);
  });

  it('names the stop to those who look for a command of that name', async () => {
    const { status, json } = await post('/api/v2/commands/stop/', {});
    expect([status, json.code, json.detail]).toEqual([
      404,
      'unknown_command',
      expect.stringContaining('POST /api/v2/stop'),
    ]);
  });

  it('does not exist in v1', async () => {
    expect((await post('/api/v1/commands/go_to_relative/', { value: {} })).status).toBe(404);
  });
});
