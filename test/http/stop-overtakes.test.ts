import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawExchange } from '../support/http.ts';
import { rawAnswers } from '../support/raw-answers.ts';
import { until } from '../support/robot-link-contract.ts';
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

describe('Requests of one connection', () => {
  it('do not let the robot drive on after a stop that came right behind a motion', async () => {
    for (let round = 0; round < 20; round += 1) {
      const [went, stopped] = await pipeline(GO(5), STOP());
      expect(stopped).toMatchObject({ status: 200, json: { stopped: true } });
      if (went?.status !== 200) {
        expect(went).toMatchObject({ status: 409, json: { code: 'stopped', command_ran: 'no' } });
      }
      expect(await pose()).toMatchObject({ moving: false });
    }
  });

  it('let a motion begin that came behind a stop', async () => {
    const [stopped, went] = await pipeline(STOP(), GO(5));
    expect([stopped?.status, went?.status]).toEqual([200, 200]);
    expect(await pose()).toMatchObject({ moving: true });
    await service.as('USER', '/api/v2/stop', { method: 'POST' });
  });

  it('end a wait before a stop at once, though nothing answers it', async () => {
    const skill = { command: 'skill', value: { name: 'wait', seconds: 600 } };
    const mission = (await service.as('USER', '/api/v1/dict/', { method: 'POST', body: skill })).json.result.msg;
    const wait = text('POST', '/api/v1/str/', { command: 'wait_for_skill', value: mission });
    const [first, second, stopped, third] = await pipeline(wait, wait, STOP(), wait);
    expect(stopped).toMatchObject({ status: 200, json: { stopped: true, cancelled_missions: 1 } });
    for (const ended of [first, second]) {
      if (ended?.status === 200) expect(ended.json.result).toMatchObject({ awaited: false });
      else expect(ended).toMatchObject({ status: 409, json: { code: 'stopped' } });
    }
    expect(third?.status).toBe(200);
  });

  it('are worked off one after the other: what was written is what is read', async () => {
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

  it('answer queries that stand before and behind a stop', async () => {
    const ask = text('GET', '/api/v2/get/get_language');
    const answers = await pipeline(ask, STOP(), ask);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('are not lost in silence behind a request that would leave HTTP: the connection ends', async () => {
    const upgrade = `${authorization}\r\nconnection: upgrade\r\nupgrade: websocket`;
    const raw = await rawExchange(service.url, [text('GET', '/status', undefined, upgrade) + STOP()]);
    expect(raw).toMatch(/^HTTP\/1\.1 200 /);
    expect(raw.toLowerCase()).toContain('connection: close');
  });

  it('are not begun when the connection is gone before their turn', async () => {
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

describe('A token that is used for the first time', () => {
  it('lets no motion begin after a stop on another connection that overtook it', async () => {
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
