import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import type { AccessLevel } from '../../../functions/shared/access.ts';
import { events } from '../../../functions/shared/events/ports.ts';
import { keyStore, tokens } from '../../../functions/shared/identity/ports.ts';
import { give } from '../../../functions/shared/port.ts';
import { EVENT_LIMITS } from '../../../local-host/events/limits.ts';
import { FakeKeyStore, keyRecord } from '../../support/auth.ts';
import { dialectClient } from '../../support/dialect-client.ts';
import { http } from '../../support/http.ts';
import { until } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const LIFE_MS = 1_800_000;

let service: TestService;
let keys: FakeKeyStore;
let skew: number;
beforeEach(async () => {
  skew = 0;
  keys = new FakeKeyStore([
    keyRecord('USER', 'USER'),
    keyRecord('ADMIN', 'ADMIN'),
    keyRecord('ENCHANTER', 'ENCHANTER'),
  ]);
  service = await startTestService({
    clock: () => Date.now() + skew,
    given: [give(keyStore, keys)],
    limits: { events: { ...EVENT_LIMITS, checkMs: 20 } },
  });
});
afterEach(() => service.stop());

async function mint(level: AccessLevel = 'USER', clientId: string = randomUUID()): Promise<string> {
  const minter = await service.ports.get(tokens);
  return (await minter.mint({ clientId, accessLevel: level, keyId: level, mayPublish: false })).token;
}

const connect = (token: string, headers: Record<string, string> = {}) =>
  dialectClient(service.eventsUrl, token, headers);

async function open(level: AccessLevel = 'USER', clientId?: string) {
  const client = connect(await mint(level, clientId));
  await client.opened();
  return client;
}

const subscribe = (topic: string) => ({ action: 'subscribe', topic });
const publish = (topic: string, data: string) => ({ action: 'publish', topic, data });

describe('The events port', () => {
  it('forwards what a client publishes, as the text it came as, to who has subscribed', async () => {
    const [anna, ben, cleo] = [await open(), await open(), await open()];
    anna.act(subscribe('tour'));
    await anna.settle();
    const frame = '{ "type":"dict",  "name":"tour","data":{"stop":1.50,"ä":"\\u00e4"},"sent_by":"ben" }';
    ben.act(publish('tour', frame));
    await until('it has arrived', () => anna.frames.length > 0);
    await cleo.settle();
    expect([anna.frames, ben.frames, cleo.frames]).toEqual([[frame], [], []]);
    anna.act({ action: 'unsubscribe', topic: 'tour' });
    await anna.settle();
    ben.act(publish('tour', frame));
    await ben.settle();
    await anna.settle();
    expect(anna.frames).toEqual([frame]);
  });

  it.each<[string, unknown]>([
    ['text that is no JSON', 'hello'],
    ['an unknown action', { action: 'shout', topic: 'tour' }],
    ['a publication without a frame', { action: 'publish', topic: 'tour' }],
    ['a frame of an unknown type', publish('tour', '{"name":"tour","type":"bytes","data":1}')],
    ['a frame without data', publish('tour', '{"name":"tour","type":"dict"}')],
    ['a frame that is no JSON', publish('tour', 'stop')],
    ['a frame with the name of another topic', publish('tour', '{"name":"safety","type":"dict","data":{}}')],
    ['a frame whose data is not of its type', publish('tour', '{"name":"tour","type":"int","data":"x"}')],
  ])('ignores %s without a word', async (_what, message) => {
    const client = await open();
    client.act(subscribe('tour'));
    client.act(message as object);
    await client.settle();
    expect(client.frames).toEqual([]);
    expect(client.socket.readyState).toBe(WebSocket.OPEN);
  });

  it.each(['missions', 'logs/head/nav.service', 'head_mode', 'RPC_command', 'server_logs'])(
    'lets only an ADMIN publish to %s',
    async (topic) => {
      const [listener, user, admin] = [await open(), await open(), await open('ADMIN')];
      listener.act(subscribe(topic));
      await listener.settle();
      const frame = (from: string) => JSON.stringify({ name: topic, type: 'str', data: from });
      user.act(publish(topic, frame('user')));
      await user.settle();
      admin.act(publish(topic, frame('admin')));
      await admin.settle();
      await listener.settle();
      const expected = topic.startsWith('logs/') ? [] : [frame('admin')]; // a USER may not subscribe to logs
      const published = listener.frames.filter((text) => !/\.snapshot"|"idle"/.test(text)); // the service's own
      expect(published).toEqual(expected);
    },
  );

  it('sends the topics of the event hub in its own frames, and ignores those above the level of the client', async () => {
    const client = await open();
    client.act(subscribe('missions'));
    client.act(subscribe('audit'));
    await client.settle();
    const hub = await service.ports.get(events);
    hub.publish('missions', 'started', { id: 'm1', skills: ['wave'], client: 'x' }, { subject: 'm1' });
    await until('it has arrived', () => client.frames.length > 1);
    expect(client.frames.slice(1).map((text) => JSON.parse(text))).toEqual([
      {
        name: 'missions',
        type: 'dict',
        data: expect.objectContaining({ type: 'robot.missions.started', subject: 'm1', specversion: '1.0' }),
      },
    ]);
    expect(await service.as(undefined, '/metrics')).toMatchObject({
      text: expect.stringContaining('events_dropped_total{reason="ignored"} 1'),
    });
  });

  it('refuses a connection without a valid token before the handshake', async () => {
    const minted = await mint();
    for (const token of ['', 'nonsense', `${minted}x`]) expect(await connect(token).refused()).toBe(401);
    skew = LIFE_MS;
    expect(await connect(minted).refused()).toBe(401);
  });

  it('prefers the token in the header to that in the URL', async () => {
    const client = connect('nonsense', { authorization: `Bearer ${await mint()}` });
    await client.opened();
    client.socket.close();
  });

  it('ends a connection with 4401 when the newest token of its client has ended', async () => {
    const clientId = randomUUID();
    const first = await mint('USER', clientId);
    const client = connect(first);
    await client.opened();
    skew = LIFE_MS - 60_000;
    const refreshed = await http(service.url, '/api/v2/auth/refresh/', {
      headers: { authorization: `Bearer ${first}` },
    });
    expect(refreshed.status).toBe(200);
    await client.settle(); // meanwhile the new token is verified
    skew = LIFE_MS + 10_000;
    expect(await connect(first).refused()).toBe(401);
    await client.settle();
    skew = 2 * LIFE_MS;
    expect(await client.closed()).toBe(4401);
  });

  it('knows a token that its client was given before it connected with an older one', async () => {
    const first = await mint();
    skew = LIFE_MS - 60_000;
    const refreshed = await http(service.url, '/api/v2/auth/refresh/', {
      headers: { authorization: `Bearer ${first}` },
    });
    expect(refreshed.status).toBe(200);
    const client = connect(first);
    await client.opened();
    await client.settle();
    skew = LIFE_MS + 10_000;
    await client.settle();
    skew = 2 * LIFE_MS;
    expect(await client.closed()).toBe(4401);
  });

  it('ends a connection with 4403 when its key is revoked', async () => {
    const client = await open();
    keys.records = [keyRecord('USER', 'USER', { revoked_at: '2027-01-02T00:00:00Z' })];
    expect(await client.closed()).toBe(4403);
  });

  it('closes a connection that sends too much or too many frames', async () => {
    const [large, many] = [await open(), await open()];
    large.act('x'.repeat(64 * 1024 + 1));
    expect(await large.closed()).toBe(1009);
    for (let n = 0; n < 60; n += 1) many.act(subscribe(`t${n}`));
    expect(await many.closed()).toBe(1008);
  });

  it('answers anything but its handshake with 404', async () => {
    const { status, json } = await http(service.eventsUrl.replace('ws', 'http'), '/api/v2/stop', { method: 'POST' });
    expect([status, json.code]).toEqual([404, 'not_found']);
  });

  it('refuses pages of other origins', async () => {
    expect(await connect(await mint(), { origin: 'https://evil.example' }).refused()).toBe(403);
  });
});
