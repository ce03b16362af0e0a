import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openEvents } from '../support/event-client.ts';
import { until } from '../support/processes.ts';
import { RunService } from '../support/run-service.ts';
import { ROOT } from '../support/sources.ts';

const INSTANCE = { instance: 'A'.repeat(22), ttl_ms: 60_000 };

describe('A run and the robot', () => {
  let runs: RunService;
  beforeAll(async () => {
    runs = await RunService.start();
    cpSync(join(ROOT, 'robot/skills'), runs.service.ports.config.SERVICE_SKILLS_DIR, { recursive: true });
    runs.writeBody(
      'drive',
      'import robot_rest\ntry:\n    return (await robot.go_to_relative(x=0.1)).ok\nexcept robot_rest.RobotRestError as error:\n    return error.code',
    );
    runs.writeBody(
      'drive_later',
      'import robot_rest\nprint("waiting", flush=True)\nawait robot.sleep(1)\ntry:\n    return (await robot.go_to_relative(x=0.1)).ok\nexcept robot_rest.RobotRestError as error:\n    return error.code',
    );
  });
  afterAll(() => runs.stop());

  it('moves it as anybody does while nobody holds the lease', async () => {
    expect((await runs.complete('drive')).result).toBe(true);
  });

  it('moves it under a lease only when its holder says so, by route or by command, and until the lease ends', async () => {
    const lease = (await runs.post('/api/v2/lease/', INSTANCE)).json.lease_id;
    expect((await runs.complete('drive')).result).toBe('lease_held');
    const run = await runs.complete('drive', { lease });
    expect(run.result).toBe(true);
    expect(JSON.stringify(run)).not.toContain(lease);
    const headers = { lease };
    const body = { value: { name: 'drive' } };
    const called = await runs.service.as('USER', '/api/v2/commands/skill/', { method: 'POST', headers, body });
    expect((await runs.ended(called.json.result.msg)).result).toBe(true);
    const { id } = await runs.run('drive_later', { lease });
    await runs.printed(id, 'waiting');
    await runs.service.as('USER', `/api/v2/lease/${lease}`, { method: 'DELETE' });
    expect((await runs.ended(id)).result).toBe('lease_lost');
  });

  it('is told to whoever listens, from its start to its end', async () => {
    const listener = openEvents(runs.service.url, { token: await runs.service.token('USER') });
    await until('it is connected', () => listener.socket.readyState === listener.socket.OPEN);
    listener.send({ type: 'subscribe', topics: ['runs'] });
    await listener.next('the snapshot', ({ type }) => type === 'snapshot');
    const { id } = await runs.complete('drive');
    const verbs = () =>
      listener
        .events()
        .filter(({ subject }) => subject === id)
        .map(({ type }) => type);
    await until('its end was told', () => verbs().length === 3);
    expect(verbs()).toEqual(['robot.runs.starting', 'robot.runs.running', 'robot.runs.succeeded']);
    listener.socket.close();
  });

  it.each([
    ['wave_hello', {}, null],
    ['look_around', { steps: 1 }, expect.any(Array)],
  ])('can be that of the starter skill %s', async (skill, args, result) => {
    const { id } = await runs.run(skill, { args }, 'ADMIN');
    expect(await runs.ended(id)).toMatchObject({ state: 'succeeded', error: null });
    expect((await runs.read(id, 'ADMIN')).result).toEqual(result);
  });
});

describe('In robot mode', () => {
  it('without a sandbox a run is refused, saying what to install', async () => {
    const runs = await RunService.start({
      SERVICE_MODE: 'robot',
      SERVICE_HOST: '127.0.0.1',
      SERVICE_ROBOT_URL: 'sim:',
      PATH: '/nonexistent',
    });
    runs.writeBody('nothing', 'return 1');
    const { status, json } = await runs.post('/api/v2/runs/', { skill: 'nothing' });
    expect([status, json.code]).toEqual([503, 'component_unavailable']);
    expect(json.detail).toMatch(/Install bubblewrap/);
    expect((await runs.command('skill', { name: 'nothing' })).code).toBe('component_unavailable');
    await runs.stop();
  });
});
