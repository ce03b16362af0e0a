import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { give } from '../../functions/shared/port.ts';
import { openSimulatedRobot } from '../../functions/shared/robot-link/adapters/simulated/simulated-robot.ts';
import { robotLink } from '../../functions/shared/robot-link/ports.ts';
import { describeWith } from '../support/components.ts';
import { type HttpAnswer, http } from '../support/http.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { SSHD, TestSshd } from '../support/sshd.ts';
import { temporaryFolder } from '../support/world.ts';

const seen = ({ status, json }: HttpAnswer): [number, string | undefined] => [status, json?.code];
const GONE = [503, 'robot_unavailable'];
const UNAVAILABLE = [503, 'component_unavailable'];

describe('A robot link cut during requests', () => {
  const robot = openSimulatedRobot(Date.now);
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ given: [give(robotLink, robot)] });
  });
  afterAll(() => service.stop());
  const send = (kind: string, command: string, value: unknown) =>
    service.as('USER', `/api/v2/${kind}/`, { method: 'POST', body: { command, value } });

  it('ends every wait, rejects commands and stop, is reported by readiness, and recovers its missions', async () => {
    const mission = (await send('dict', 'skill', { name: 'wait', seconds: 2 })).json.result.msg;
    const waits = [1, 2, 3].map(() => send('str', 'wait_for_skill', mission));
    while (service.inFlight.size < waits.length) await new Promise(setImmediate);
    robot.setConnected(false);
    for (const answer of await Promise.all(waits)) expect(seen(answer)).toEqual(GONE);
    expect(seen(await send('int', 'sound_level', 3))).toEqual(GONE);
    expect(seen(await service.as('USER', '/api/v2/stop', { method: 'POST' }))).toEqual(GONE);
    expect((await service.as(undefined, '/status')).json.robot).toBe('disconnected');
    expect((await service.as(undefined, '/health/ready')).json.parts.robot.ok).toBe(false);
    expect(service.inFlight.size).toBe(0);

    robot.setConnected(true);
    expect((await send('str', 'wait_for_skill', mission)).json.result.awaited).toBe(true);
    expect((await service.as(undefined, '/health/ready')).status).toBe(200);
  });
});

const LIBRARIES = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu'].map((folder) =>
  join(folder, 'faketime', 'libfaketime.so.1'),
);
const FAKETIME = LIBRARIES.find((path) => existsSync(path)) ?? '/usr/lib/faketime/libfaketime.so.1';

describeWith('faketime', FAKETIME, 'A clock', () => {
  const HOME = temporaryFolder();
  let service: ServiceProcess | undefined;
  afterAll(() => service?.end());

  /** A service at this time of day, or so far from the true one; each has the keys of the one before. */
  async function at(time: string): Promise<ServiceProcess> {
    await service?.end();
    service = await startProcess({ HOME, LD_PRELOAD: FAKETIME, FAKETIME: time, FAKETIME_DONT_FAKE_MONOTONIC: '1' });
    return service;
  }
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  it('decides when a token expires, whichever process signed it', async () => {
    const first = await at('+0');
    const { token } = (await http(first.socketPath, '/api/v2/auth/')).json;
    for (const [time, outcome] of [
      ['+29m', [200, undefined]],
      ['+31m', [401, 'token_expired']],
    ] as const) {
      const answer = await http((await at(time)).url, '/api/v2/get/get_pose', bearer(token));
      expect([time, ...seen(answer)]).toEqual([time, ...outcome]);
    }
  });

  it('issues tokens only over the socket when it is before the build date, and allows commands', async () => {
    const past = await at('@2020-01-01 00:00:00');
    const refused = await http(past.url, '/api/v2/auth/', { headers: { 'x-api-key': 'rk_any' } });
    expect(seen(refused)).toEqual(UNAVAILABLE);
    expect(refused.json.detail).toContain('clock');
    expect((await http(past.url, '/health/ready')).json.parts.clock.ok).toBe(false);
    const local = await http(past.socketPath, '/api/v2/auth/');
    expect(local.status).toBe(200);
    expect((await http(past.url, '/api/v2/get/get_pose', bearer(local.json.token))).status).toBe(200);

    const mended = await at('+0');
    const answer = await http(mended.url, '/api/v2/get/get_pose', bearer(local.json.token));
    expect(seen(answer)).toEqual([401, 'token_expired']);
  });
});

describe('A missing audio daemon', () => {
  it('makes reading and setting the volume 503, and affects nothing else', async () => {
    const folder = temporaryFolder();
    const service = await startTestService({
      settings: {
        SERVICE_MODE: 'robot',
        SERVICE_HOST: '127.0.0.1',
        SERVICE_ROBOT_URL: 'sim:',
        SERVICE_AUDIO_RUNTIME_DIR: folder,
        SERVICE_AUDIO_SERVER: `unix:${join(folder, 'native')}`,
      },
    });
    const body = { percentage: { value: 40 } };
    expect(seen(await service.as('ADMIN', '/api/v2/volume/'))).toEqual(UNAVAILABLE);
    expect(seen(await service.as('ADMIN', '/api/v2/volume/', { method: 'POST', body }))).toEqual(UNAVAILABLE);
    expect((await service.as('ADMIN', '/api/v2/get/get_pose')).status).toBe(200);
    await service.stop();
  });
});

describeWith('sshd', SSHD, 'A base computer', () => {
  it('is reported as unavailable when it goes away, and head still works', async () => {
    const sshd = new TestSshd();
    await sshd.start();
    const service = await startTestService({
      settings: {
        SERVICE_MODE: 'robot',
        SERVICE_HOST: '127.0.0.1',
        SERVICE_ALLOWED_UNITS: 'head=*.service;base=*.service',
        ...sshd.settings(),
      },
    });
    await service.as('ADMIN', '/api/v2/service/get_services_list');
    await sshd.stop();
    const { status, json } = await service.as('ADMIN', '/api/v2/service/get_services_list');
    expect([status, json.base.available]).toEqual([200, false]);
    expect(seen(await service.as('ADMIN', '/api/v2/service/base/nav.service'))).toEqual(UNAVAILABLE);
    await service.stop();
  });
});

function removeAll(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(file + end);
}

describe('A database file corrupted during requests', () => {
  const READ = '/api/v2/database/read/?tablename=robots_table';
  const spoilers: Array<[string, (file: string) => void]> = [
    ['overwritten', (file) => writeFileSync(file, randomBytes(200_000))],
    ['cut to nothing', (file) => truncateSync(file, 0)],
    ['removed, with the files beside it', removeAll],
  ];

  it.each(spoilers)(
    '(%s) never makes a request hang or the robot unreachable, and stays as it is for a person to look at',
    async (_how, spoil) => {
      const service = await startTestService();
      const file = service.ports.config.SERVICE_DATABASE_URL.replace('sqlite:///', '');
      const add = () =>
        service.as('ADMIN', '/api/v2/database/add_item/', {
          method: 'POST',
          body: { tablename: 'robots_table', item: { name: 'x'.repeat(5000) } },
        });
      for (let n = 0; n < 40; n++) expect((await add()).status).toBe(200);
      const asked: Array<Promise<HttpAnswer>> = [];
      for (let n = 0; n < 100; n++) {
        asked.push(n % 2 === 0 ? service.as('ADMIN', READ) : add());
        if (n === 50) spoil(file);
        await new Promise(setImmediate);
      }
      const outcomes = new Set((await Promise.all(asked)).map((answer) => seen(answer).join(' ')));
      for (const outcome of outcomes) expect(['200 ', '409 busy', '503 component_unavailable']).toContain(outcome);
      const stop = await service.as('USER', '/api/v2/stop', { method: 'POST' });
      expect(stop.status).toBe(200);
      await service.stop();
      expect(readdirSync(join(file, '..')).filter((name) => name.includes('unfinished'))).toEqual([]);
    },
  );
});
