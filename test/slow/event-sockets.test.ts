import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events } from '../../functions/shared/events/ports.ts';
import { EVENT_LIMITS } from '../../local-host/events/limits.ts';
import { type EventClient, openEvents, refusedHandshake, subscribeEvents } from '../support/event-client.ts';
import { http } from '../support/http.ts';
import { until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await startTestService({
    limits: { events: { ...EVENT_LIMITS, authenticateMs: 500, checkMs: 50, pingMs: 200, silentMs: 1_000 } },
  });
  token = await service.token('ADMIN');
});
afterAll(() => service.stop());

const publish = async (id: number | string) =>
  (await service.ports.get(events)).publish('database', 'changed', { table: 'sounds_table', operation: 'add', id });

async function stopsAtOnce(): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  expect((await http(service.url, '/api/v2/stop', { method: 'POST', headers })).json.stopped).toBe(true);
}

describe('Frames that make no sense', () => {
  let client: EventClient;
  beforeAll(async () => {
    client = await subscribeEvents(service.url, ['database'], { token });
  });
  afterAll(() => client.socket.terminate());

  it.each([
    ['no JSON', 'hello', 'malformed_json'],
    ['no object', '[]', 'validation_failed'],
    ['an unknown type', '{"type":"jump"}', 'validation_failed'],
    ['unknown members', '{"type":"ping","x":1}', 'validation_failed'],
    ['no topics', '{"type":"subscribe","topics":[]}', 'validation_failed'],
    ['too many topics', JSON.stringify({ type: 'subscribe', topics: Array(257).fill('state') }), 'validation_failed'],
    ['a deep array', '['.repeat(30_000), 'malformed_json'],
    ['bytes', Buffer.from([1, 2, 3]), 'bad_request'],
    ['a wrong token', '{"type":"authenticate","token":"x"}', 'token_invalid'],
  ])('are answered, and the connection stays: %s', async (_what, frame, code) => {
    const before = client.messages.length;
    client.socket.send(frame);
    await until('it is answered', () => client.messages.length > before);
    expect(client.messages.at(-1)).toMatchObject({ type: 'error', code });
    expect(client.messages.at(-1).detail).not.toMatch(/[Ii]nvalid (input|discriminator)|expected|received/);
    client.send({ type: 'ping' });
    await until('it goes on', () => client.messages.at(-1).type === 'pong');
  });
});

describe('Clients that ask too much', () => {
  it('are closed with 1009 after a frame of more than 64 KiB', async () => {
    const client = await subscribeEvents(service.url, ['database'], { token });
    client.send('x'.repeat(64 * 1024 + 1));
    expect(await client.closed()).toBe(1009);
  });

  it('are closed with 1008 after more than 50 frames a second', async () => {
    const client = await subscribeEvents(service.url, ['database'], { token });
    for (let count = 0; count < 60; count += 1) client.send({ type: 'ping' });
    expect(await client.closed()).toBe(1008);
  });

  it('are closed with 4408 when they show no token', async () => {
    expect(await openEvents(service.url).closed()).toBe(4408);
  });

  it('are closed with 4401 when their first token is wrong', async () => {
    const client = openEvents(service.url);
    await once(client.socket, 'open');
    client.send({ type: 'authenticate', token: 'wrong' });
    expect(await client.closed()).toBe(4401);
    expect(client.messages).toMatchObject([{ type: 'error', code: 'token_invalid' }]);
  });

  it('get an error beyond 256 topics', async () => {
    const units = Array.from({ length: 256 }, (_, index) => `logs/head/unit-${index}.service`);
    const client = await subscribeEvents(service.url, ['database'], { token });
    client.send({ type: 'subscribe', topics: ['missions', ...units.slice(0, 255)] });
    await client.next('it is answered', ({ type }) => type === 'error');
    client.socket.terminate();
  });
});

/** Speaks WebSocket as far as it must, and then neither reads nor answers. */
async function silentClient(topics: readonly string[]): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(
    `GET /api/v2/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  await once(socket, 'data');
  socket.pause();
  const payload = Buffer.from(JSON.stringify({ type: 'subscribe', topics }));
  socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]));
  return socket;
}

async function connections(): Promise<number> {
  const { text } = await service.as(undefined, '/metrics');
  return Number(/^events_connections\{face="websocket"\} (\d+)/m.exec(text)?.[1]);
}

describe('A peer that is gone without a word', () => {
  it('is noticed by its silence', async () => {
    const socket = await silentClient(['database']);
    await until('it is given up', async () => (await connections()) === 0);
    socket.destroy();
  });
});

describe('Many clients at once', () => {
  it('are all served, and hold up no stop', async () => {
    const clients = await Promise.all(
      Array.from({ length: 200 }, () => subscribeEvents(service.url, ['database'], { token })),
    );
    await publish('for all');
    await stopsAtOnce();
    await until('all have it', () => clients.every((client) => client.events().length > 0));
    for (const { socket } of clients) socket.terminate();
    await until('they are gone', async () => (await connections()) === 0);
  });
});

describe('As many WebSockets as there may be connections', () => {
  it('hold up no stop', async () => {
    const crowded = await startTestService({
      limits: { connections: { tcp: 10, tcpPerBlock: 10, socket: 4, overflow: 3 } },
    });
    try {
      const user = await crowded.token('USER');
      const clients = await Promise.all(
        Array.from({ length: 10 }, () => subscribeEvents(crowded.url, ['missions'], { token: user })),
      );
      const headers = { authorization: `Bearer ${user}` };
      expect((await http(crowded.url, '/api/v2/stop', { method: 'POST', headers })).json.stopped).toBe(true);
      expect((await http(crowded.url, '/api/v2/commands/', { headers })).status).toBe(503);
      const beyond = await refusedHandshake(openEvents(crowded.url, { token: user }));
      expect(beyond).toEqual({ status: 503, code: 'component_unavailable' });
      expect(clients.every(({ socket }) => socket.readyState === socket.OPEN)).toBe(true);
      for (const { socket } of clients) socket.terminate();
    } finally {
      await crowded.stop();
    }
  });

  it('of one key leave half of the places to others', async () => {
    const shared = await startTestService({ limits: { events: { ...EVENT_LIMITS, connections: 4 } } });
    try {
      const user = await shared.token('USER');
      for (let count = 0; count < 2; count += 1) await subscribeEvents(shared.url, ['missions'], { token: user });
      const third = openEvents(shared.url, { token: user });
      expect(await third.closed()).toBe(1013);
      expect(third.messages).toMatchObject([{ type: 'error', code: 'busy' }]);
      const stream = await http(shared.url, '/api/v2/events?topics=missions', {
        headers: { authorization: `Bearer ${user}` },
      });
      expect(stream.json).toMatchObject({ code: 'busy' });
    } finally {
      await shared.stop();
    }
  });
});

describe('A consumer that reads nothing', () => {
  it('costs little memory until it is given up with 1013, and nobody else notices', async () => {
    const patient = await startTestService();
    try {
      const hub = await patient.ports.get(events);
      const admin = await patient.token('ADMIN');
      const good = await subscribeEvents(patient.url, ['database', 'joints'], { token: admin });
      const bad = await subscribeEvents(patient.url, ['database', 'joints'], { token: admin });
      bad.socket.pause();
      const before = process.memoryUsage().rss;
      const id = 'x'.repeat(8 * 1024);
      let published = 0;
      const overflows = async () =>
        Number(
          /^events_dropped_total\{reason="overflow"\} (\d+)/m.exec((await patient.as(undefined, '/metrics')).text)?.[1],
        );
      while ((await overflows()) === 0 && published < 20_000) {
        for (let count = 0; count < 20; count += 1) {
          hub.publish('database', 'changed', { table: 'sounds_table', operation: 'add', id });
          hub.publish('joints', 'changed', { names: ['head_pan'], positions: [published] });
          published += 1;
        }
        await until('the other one has them', () => {
          const last = good.events().findLast(({ type }) => type === 'robot.database.changed');
          return good.events().filter(({ type }) => type === 'robot.database.changed').length >= published && last;
        });
      }
      expect(await overflows()).toBe(1);
      expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024);
      expect(good.socket.readyState).toBe(good.socket.OPEN);
      bad.socket.resume();
      expect([1006, 1013]).toContain(await bad.closed());
    } finally {
      await patient.stop();
    }
  });
});

describe('When the service stops', () => {
  it('clients are told so with 1012', async () => {
    const ending = await startTestService();
    const client = await subscribeEvents(ending.url, ['missions'], { token: await ending.token('USER') });
    const silent = openEvents(ending.url);
    await once(silent.socket, 'open');
    await ending.stop();
    expect([await client.closed(), await silent.closed()]).toEqual([1012, 1012]);
  });
});
