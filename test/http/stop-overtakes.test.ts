import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawExchange } from '../support/http.ts';
import { until } from '../support/processes.ts';
import { rawAnswers } from '../support/raw-answers.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let authorization: string;
beforeAll(async () => {
  service = await startTestService();
  authorization = `authorization: Bearer ${await service.token('USER')}`;
});
afterAll(() => service.stop());

function text(method: string, path: string, body?: unknown, lines = authorization): string {
  const payload = body === undefined ? '' : JSON.stringify(body);
  const type = body === undefined ? '' : 'content-type: application/json\r\n';
  return `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${lines}\r\n${type}content-length: ${payload.length}\r\n\r\n${payload}`;
}

/** Sends these requests in one packet on a connection of their own. */
async function pipeline(...requests: string[]) {
  const { port, hostname } = new URL(service.url);
  const socket: Socket = connect(Number(port), hostname);
  let received = '';
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.setEncoding('latin1').on('data', (more: string) => {
    received += more;
  });
  socket.write(requests.join(''));
  const answers = () => {
    try {
      return rawAnswers(received);
    } catch {
      return [];
    }
  };
  await until(() => answers().length === requests.length);
  socket.destroy();
  await closed;
  return answers().map(({ status, body }) => ({ status, json: JSON.parse(body) }));
}

const STOP = () => text('POST', '/api/v2/stop');
const GO = (x: number) => text('POST', '/api/v2/commands/go_to_relative/', { value: { x } });
const pose = async () => (await service.as('USER', '/api/v2/get/get_pose')).json.result as { moving: boolean };

describe('Requests on one connection', () => {
  it('do not keep the robot moving after a stop sent right after a motion', async () => {
    for (let round = 0; round < 20; round += 1) {
      const [went, stopped] = await pipeline(GO(5), STOP());
      expect(stopped).toMatchObject({ status: 200, json: { stopped: true } });
      if (went?.status !== 200) {
        expect(went).toMatchObject({ status: 409, json: { code: 'stopped', command_ran: 'no' } });
      }
      expect(await pose()).toMatchObject({ moving: false });
    }
  });

  it('allow a motion sent after a stop', async () => {
    const [stopped, went] = await pipeline(STOP(), GO(5));
    expect([stopped?.status, went?.status]).toEqual([200, 200]);
    expect(await pose()).toMatchObject({ moving: true });
    await service.as('USER', '/api/v2/stop', { method: 'POST' });
  });

  const WAITS = ['wait_for_skill', 'wait_for_skill_started', 'cancel_and_wait_for_mission'] as const;
  const waitFor = (command: string, value: string) => ({
    v1: text('POST', '/api/v1/str/', { command, value }),
    v2: text('POST', `/api/v2/commands/${command}/`, { value }),
  });
  const startMission = async () => {
    const skill = { command: 'skill', value: { name: 'wait', seconds: 600 } };
    return (await service.as('USER', '/api/v1/dict/', { method: 'POST', body: skill })).json.result.msg as string;
  };

  it.each(WAITS)('end %s ahead of a stop in the same packet immediately', async (command) => {
    for (const version of ['v1', 'v2'] as const) {
      const wait = waitFor(command, await startMission())[version];
      const [first, second, stopped, after] = await pipeline(wait, wait, STOP(), wait);
      expect(stopped).toMatchObject({ status: 200, json: { stopped: true } });
      expect(second).toMatchObject({ status: 409, json: { code: 'stopped' } });
      // A cancel may have ended the mission before the stop acts.
      if (first?.status === 200) expect(first.json.result).toMatchObject({ cancelled: true });
      else expect(first).toMatchObject({ status: 409, json: { code: 'stopped' } });
      expect(after?.status).toBe(200);
    }
  });

  it('end a wait ahead of a stop in a later packet immediately', async () => {
    const wait = waitFor('wait_for_skill', await startMission()).v1;
    const { port, hostname } = new URL(service.url);
    const socket = connect(Number(port), hostname).setNoDelay().setEncoding('latin1');
    let received = '';
    socket.on('data', (more: string) => {
      received += more;
    });
    socket.write(wait + wait);
    await until(() => service.inFlight.size === 2);
    await new Promise((resolve) => setTimeout(resolve, 100)); // the first wait has begun by then
    socket.write(STOP());
    await until(() => received.includes('"stopped":true'));
    expect([...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))).toEqual([409, 409, 200]);
    socket.destroy();
  });

  it('are processed in order, so that reads see earlier writes', async () => {
    const admin = `authorization: Bearer ${await service.token('ENCHANTER')}`;
    const item = (n: number) => ({ tablename: 'categories_table', item: { id: 1, name: `name ${n}` } });
    await service.as('USER', '/api/v2/database/add_item/', { method: 'POST', body: item(0) });
    for (let n = 1; n <= 10; n += 1) {
      const update = { ...item(n), attribute: 'name', new_value: `name ${n}` };
      const data = encodeURIComponent(JSON.stringify({ tablename: 'categories_table', item: { id: 1 } }));
      const [written, read] = await pipeline(
        text('PUT', '/api/v2/database/update_item/', update, admin),
        text('GET', `/api/v2/database/read_item/?data=${data}`, undefined, admin),
      );
      expect([written?.status, read?.json.name]).toEqual([200, `name ${n}`]);
    }
  });

  it('answer queries sent before and after a stop', async () => {
    const ask = text('GET', '/api/v2/get/get_language');
    const answers = await pipeline(ask, STOP(), ask);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('are not silently lost after an upgrade request, because the connection closes', async () => {
    const upgrade = `${authorization}\r\nconnection: upgrade\r\nupgrade: websocket`;
    const raw = await rawExchange(service.url, [text('GET', '/status', undefined, upgrade) + STOP()]);
    expect(raw).toMatch(/^HTTP\/1\.1 200 /);
    expect(raw.toLowerCase()).toContain('connection: close');
  });

  it('are all answered if they are many, and close the connection if they are a flood, of which the rest is not parsed', async () => {
    const status = text('GET', '/health/live');
    expect((await pipeline(...Array<string>(100).fill(status))).map((answer) => answer.status)).toEqual(
      Array(100).fill(200),
    );
    let parsed = 0;
    const count = () => {
      parsed += 1;
    };
    subscribe('http.server.request.start', count);
    await rawExchange(service.url, [text('GET', '/none', undefined, 'a: b').repeat(1_000)]);
    unsubscribe('http.server.request.start', count);
    expect(parsed).toBeGreaterThan(100);
    expect(parsed).toBeLessThan(150);
  });

  it('are not started if the connection closes before their turn', async () => {
    const skill = { command: 'skill', value: { name: 'wait', seconds: 600 } };
    const mission = (await service.as('USER', '/api/v1/dict/', { method: 'POST', body: skill })).json.result.msg;
    const { port, hostname } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.write(text('POST', '/api/v1/str/', { command: 'wait_for_skill', value: mission }) + GO(5));
    await until(() => service.inFlight.size === 2);
    socket.destroy();
    await until(() => service.inFlight.size === 0);
    expect(await pose()).toMatchObject({ moving: false });
    await service.as('USER', '/api/v2/stop', { method: 'POST' });
  });
});

describe('A token used for the first time', () => {
  it('lets no motion start after a stop that overtook it on another connection', async () => {
    for (let round = 0; round < 20; round += 1) {
      // Each auth over the socket gives a new token, whose signature has to be verified at its first use.
      const { token } = (await (await import('../support/http.ts')).http(service.socketPath, '/api/v2/auth/')).json;
      const fresh = { method: 'POST', body: { value: { x: 5 } }, headers: { authorization: `Bearer ${token}` } };
      const going = service.as(undefined, '/api/v2/commands/go_to_relative/', fresh);
      const stopped = await service.as('USER', '/api/v2/stop', { method: 'POST' });
      const went = await going;
      expect(stopped.status).toBe(200);
      expect([200, 409]).toContain(went.status);
      if (went.status === 409) expect(await pose()).toMatchObject({ moving: false });
      await service.as('USER', '/api/v2/stop', { method: 'POST' });
    }
  });
});
