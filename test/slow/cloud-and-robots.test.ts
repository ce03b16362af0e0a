import { createHash, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { handler as authenticateV2 } from '../../functions/auth/authenticate-v2.handler.ts';
import { handler as refreshToken } from '../../functions/auth/refresh-token.handler.ts';
import { handler as getCommand } from '../../functions/commands/get-command.handler.ts';
import { handler as listCommands } from '../../functions/commands/list-commands.handler.ts';
import { handler as sendDict } from '../../functions/commands/send-dict.handler.ts';
import { handler as sendInt } from '../../functions/commands/send-int.handler.ts';
import { handler as sendStr } from '../../functions/commands/send-str.handler.ts';
import { handler as stop } from '../../functions/commands/stop.handler.ts';
import type { Endpoint } from '../../functions/shared/pipeline/endpoint.ts';
import { handler as getStatus } from '../../functions/system/status/get-status.handler.ts';
import { completeEvent, type ShortRequest } from '../../scripts/lambda-event.ts';
import { endFunction, runAsLambda } from '../../scripts/run-as-lambda.ts';
import { describeWith } from '../support/components.ts';
import { http } from '../support/http.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const SECRET = `rk_${'s'.repeat(43)}`;
const LIMITED = `rk_${'l'.repeat(43)}`;
const record = (id: string, secret: string, robots?: string[]) => ({
  id,
  name: id,
  level: 'ADMIN',
  sha256: createHash('sha256').update(secret).digest('hex'),
  created_at: '2026-01-01T00:00:00Z',
  revoked_at: null,
  ...(robots ? { robots } : {}),
});

describeWith('mosquitto', MOSQUITTO, 'A fleet behind a broker', () => {
  let broker: TestBroker;
  let robot: ServiceProcess;
  let environment: Record<string, string>;

  beforeAll(async () => {
    broker = await startMosquitto();
    environment = {
      SERVICE_LOG_LEVEL: 'silent',
      SERVICE_JWT_SIGNING_KEY: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
      SERVICE_API_KEYS: JSON.stringify({
        keys: [record('all', SECRET), record('one', LIMITED, ['robot-1'])],
      }),
      SERVICE_ROBOT_URL: broker.url('service'),
    };
    robot = await startRobot();
  });
  afterAll(async () => {
    await endFunction();
    await robot.end();
    await broker.kill();
  });

  function startRobot() {
    const settings = { SERVICE_ROBOT_ID: 'robot-1', SERVICE_RELAY_URL: broker.url('robot-1') };
    return startProcess({ ...settings, SERVICE_SOCKET_ACCESS_LEVEL: 'ENCHANTER' });
  }

  /** One request to `/{robot}/rest…`, each route a function of its own. */
  async function cloud(handler: Endpoint, robotId: string, path: string, request: ShortRequest = {}) {
    const params = { robot_id: robotId, ...request.params };
    const event = completeEvent({ ...request, path: `/${robotId}/rest${path}`, params });
    const { statusCode, body, headers } = await runAsLambda(handler, event, environment);
    return { status: statusCode, headers, json: JSON.parse(body) };
  }

  async function tokenFor(robotId: string, key = SECRET): Promise<Record<string, string>> {
    const { json } = await cloud(authenticateV2, robotId, '/api/v2/auth/', { headers: { 'x-api-key': key } });
    return { authorization: `Bearer ${json.token}` };
  }

  describe('with functions in the cloud', () => {
    it('exchanges a key for a token, and relays commands and answers for the robot in the path', async () => {
      const headers = await tokenFor('robot-1');
      const set = await cloud(sendInt, 'robot-1', '/api/v1/int/', {
        method: 'POST',
        headers,
        body: { command: 'sound_level', value: 12 },
      });
      expect(set).toMatchObject({
        status: 200,
        json: { command: 'sound_level', value: 12, result: { sound_level: 12 } },
      });
      const asked = await cloud(getCommand, 'robot-1', '/api/v2/get/get_language', {
        headers,
        params: { command: 'get_language' },
      });
      expect(asked).toMatchObject({ status: 200, json: { result: 'en' } });
      expect((await cloud(refreshToken, 'robot-1', '/api/v2/auth/refresh/', { headers })).status).toBe(200);
      const { json } = await cloud(listCommands, 'robot-1', '/api/v2/commands/', { headers });
      const there = await http(robot.url, '/api/v2/commands/', { headers: await tokenOnTheRobot() });
      expect(json).toEqual(there.json);
    });

    it('runs and stops a mission', async () => {
      const headers = await tokenFor('robot-1');
      const called = await cloud(sendDict, 'robot-1', '/api/v1/dict/', {
        method: 'POST',
        headers,
        body: { command: 'skill', value: { name: 'wait', seconds: 60 } },
      });
      const mission = called.json.result.msg as string;
      expect(called.json.result).toEqual({ called: true, msg: expect.any(String) });
      const waiting = cloud(sendStr, 'robot-1', '/api/v1/str/', {
        method: 'POST',
        headers,
        body: { command: 'wait_for_skill', value: mission },
      });
      expect(await cloud(stop, 'robot-1', '/api/v2/stop', { method: 'POST', headers })).toMatchObject({
        status: 200,
        json: { stopped: true, cancelled_missions: 1 },
      });
      expect((await waiting).json.result).toMatchObject({ awaited: false, msg: 'Mission cancelled' });
    });

    it("records in the robot's audit trail who did it", async () => {
      const headers = await tokenFor('robot-1');
      const body = { command: 'sound_level', value: 33 };
      await cloud(sendInt, 'robot-1', '/api/v1/int/', { method: 'POST', headers, body });
      const { json } = await http(robot.url, '/api/v2/audit/?limit=1', { headers: await tokenOnTheRobot() });
      expect(json.entries[0]).toMatchObject({ listener: 'relay', key_id: 'all', outcome: 'ok', subject: body });
    });

    it.each([
      ['out of bounds', { command: 'sound_level', value: 101 }, 422, 'validation_failed'],
      ['unknown', { command: 'fly', value: 1 }, 404, 'unknown_command'],
      ['of another kind', { command: 'is_seeing', value: 1 }, 422, 'wrong_value_type'],
    ])('refuses a command that is %s', async (_what, body, status, code) => {
      const headers = await tokenFor('robot-1');
      const answer = await cloud(sendInt, 'robot-1', '/api/v1/int/', { method: 'POST', headers, body });
      expect([answer.status, answer.json.code]).toEqual([status, code]);
    });

    it('rejects a token of one robot at another, whatever the headers say', async () => {
      const headers = await tokenFor('robot-1');
      const answer = await cloud(getCommand, 'robot-2', '/api/v2/get/get_language', {
        headers: { ...headers, 'x-robot-id': 'robot-1', 'x-forwarded-prefix': '/robot-1/rest' },
        params: { command: 'get_language' },
      });
      expect([answer.status, answer.json.code]).toEqual([401, 'token_invalid']);
    });

    it('only gives access to the robots that a key is limited to', async () => {
      const headers = { 'x-api-key': LIMITED };
      const mine = await cloud(authenticateV2, 'robot-1', '/api/v2/auth/', { headers });
      const other = await cloud(authenticateV2, 'robot-2', '/api/v2/auth/', { headers });
      expect([mine.status, other.status, other.json.code]).toEqual([200, 403, 'insufficient_access']);
    });

    it('reports immediately that a robot is offline', async () => {
      const headers = await tokenFor('robot-2');
      const answer = await cloud(getCommand, 'robot-2', '/api/v2/get/get_language', {
        headers,
        params: { command: 'get_language' },
      });
      expect(answer).toMatchObject({ status: 503, json: { code: 'robot_unavailable', command_ran: 'no' } });
      expect((await cloud(getStatus, 'robot-2', '/status')).json).toMatchObject({ robot: 'disconnected' });
      expect((await cloud(getStatus, 'robot-1', '/status')).json).toMatchObject({ robot: 'connected' });
    });

    it.each(['robot.1', 'r%2Fb', '+', '#', 'x'.repeat(65)])('rejects the robot id %s', async (robotId) => {
      const answer = await cloud(getStatus, robotId, '/status');
      expect([answer.status, answer.json.code]).toEqual([404, 'not_found']);
    });

    it('answers 503 within a second after the robot is killed, and works again when it is back', async () => {
      const headers = await tokenFor('robot-1');
      const ask = () =>
        cloud(getCommand, 'robot-1', '/api/v2/get/get_language', { headers, params: { command: 'get_language' } });
      expect((await ask()).status).toBe(200);
      await robot.end('SIGKILL');
      const killed = Date.now();
      let answer = await ask();
      while (answer.status === 200 && Date.now() - killed < 1_000) answer = await ask();
      expect(answer).toMatchObject({ status: 503, json: { code: 'robot_unavailable' } });
      robot = await startRobot();
      await until(async () => (await ask()).status === 200);
    });

    async function tokenOnTheRobot(): Promise<Record<string, string>> {
      const { json } = await http(robot.socketPath, '/api/v2/auth/');
      return { authorization: `Bearer ${json.token}` };
    }
  });

  describe('on a separate host', () => {
    let host: TestService;
    beforeAll(async () => {
      const { SERVICE_ROBOT_URL = '' } = environment;
      host = await startTestService({ settings: { SERVICE_ROBOT_URL, SERVICE_ROBOT_ID: 'hall' } });
    });
    afterAll(() => host.stop());

    it('serves each robot under /{robot_id}/rest', async () => {
      const { json, status } = await http(host.socketPath, '/robot-1/rest/api/v2/auth/');
      expect(status).toBe(200);
      const headers = { authorization: `Bearer ${json.token}` };
      const ask = (robotId: string) => http(host.url, `/${robotId}/rest/api/v1/get/get_language`, { headers });
      expect((await ask('robot-1')).json).toEqual({ command: 'get_language', result: 'en', ok: true });
      expect((await ask('robot-2')).json).toMatchObject({ status: 401, code: 'token_invalid' });
      expect((await ask('robot.1')).status).toBe(404);
    });

    it('keeps a robot with a running command, however many other robots a stranger requests', async () => {
      const { json } = await http(host.socketPath, '/robot-1/rest/api/v2/auth/');
      const headers = { authorization: `Bearer ${json.token}` };
      const post = (path: string, body: unknown) =>
        http(host.url, `/robot-1/rest/api/v2/commands/${path}/`, { method: 'POST', headers, body });
      const called = await post('skill', { value: { name: 'wait', seconds: 600 } });
      const waiting = post('wait_for_skill', { value: called.json.result.msg });
      for (let number = 0; number < 1_100; number += 100) {
        const names = Array.from({ length: 100 }, (_, index) => `q${number + index}`);
        const answers = await Promise.all(names.map((name) => http(host.url, `/${name}/rest/status`)));
        expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      }
      expect((await http(host.url, '/robot-1/rest/status')).json).toMatchObject({ robot: 'connected' });
      await http(host.url, '/robot-1/rest/api/v2/stop', { method: 'POST', headers });
      expect(await waiting).toMatchObject({ status: 200, json: { result: { awaited: false } } });
    });

    it('opens no connection for an unauthenticated client', async () => {
      expect((await http(host.url, '/robot-9/rest/status')).json).toMatchObject({ robot: 'unknown' });
      const forged = { authorization: 'Bearer abc.def.ghi' };
      const answer = await http(host.url, '/robot-9/rest/api/v2/get/get_language', { headers: forged });
      expect(answer.status).toBe(401);
    });

    it('uses its own robot if the path has none, and is ready whether or not that is online', async () => {
      const answer = await host.as('USER', '/rest/api/v1/get/get_language');
      expect(answer.json).toMatchObject({ status: 503, detail: expect.stringContaining('"hall" is not connected') });
      expect((await http(host.url, '/status')).json).toMatchObject({ robot: 'connected', robot_link: 'fleet' });
      // The database may take a while to open for the first time.
      await until(async () => (await http(host.url, '/health/ready')).status === 200);
    });
  });
});
