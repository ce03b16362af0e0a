import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events } from '../../../functions/shared/events/ports.ts';
import { makeCertificate, OPENSSL } from '../../support/certificates.ts';
import { describeWith } from '../../support/components.ts';
import { openEvents, refusedHandshake, subscribeEvents } from '../../support/event-client.ts';
import { http, rawExchange } from '../../support/http.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/world.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ settings: { SERVICE_CORS_ORIGINS: 'https://console.example' } });
});
afterAll(() => service.stop());

const MISSION = { id: 'm1', skills: ['wave'], client: '0b9e8c1e' };

describe('A WebSocket on /api/v2/events', () => {
  it('takes the token of the handshake, subscriptions and pings', async () => {
    const client = openEvents(service.url, { token: await service.token('USER') });
    await once(client.socket, 'open');
    expect(await client.next('it is authenticated', ({ type }) => type === 'authenticated')).toEqual({
      type: 'authenticated',
      access_level: 'USER',
      expires_at: expect.stringMatching(/Z$/),
    });
    client.send({ type: 'subscribe', topics: ['missions'] });
    await client.next('it has a snapshot', ({ type }) => type === 'snapshot');
    (await service.ports.get(events)).publish('missions', 'started', MISSION, { subject: 'm1' });
    const { event } = await client.next('the event is there', ({ type }) => type === 'event');
    expect(event).toMatchObject({ source: '/robots/robot-1', type: 'robot.missions.started', data: MISSION });
    client.send({ type: 'ping' });
    await client.next('it answers', ({ type }) => type === 'pong');
    client.socket.close();
  });

  it('takes the token as its first message', async () => {
    const client = openEvents(service.url, { path: '/rest/api/v2/events/' });
    await once(client.socket, 'open');
    client.send({ type: 'subscribe', topics: ['missions'] });
    expect(await client.next('it is refused', ({ type }) => type === 'error')).toMatchObject({ code: 'missing_token' });
    client.send({ type: 'authenticate', token: await service.token('ADMIN') });
    expect(await client.next('it is in', ({ type }) => type === 'authenticated')).toMatchObject({
      access_level: 'ADMIN',
    });
    client.socket.close();
  });

  it('needs no token over the Unix socket', async () => {
    const client = await subscribeEvents(service.socketPath, ['commands']);
    expect(client.messages[0]).toEqual({ type: 'authenticated', expires_at: null, access_level: 'ADMIN' });
    client.socket.close();
  });

  it('refuses topics above the level, and the connection stays', async () => {
    const client = await subscribeEvents(service.url, ['audit', 'nonsense', 'missions'], {
      token: await service.token('USER'),
    });
    const errors = client.messages.filter(({ type }) => type === 'error');
    expect(errors).toMatchObject([
      { code: 'insufficient_access', topic: 'audit' },
      { code: 'validation_failed', topic: 'nonsense' },
    ]);
    expect(client.messages.find(({ type }) => type === 'subscribed').topics).toEqual(['missions']);
    client.socket.close();
  });

  it.each([
    ['a wrong token', { token: 'wrong' }, { status: 401, code: 'token_invalid' }],
    ['an unknown host', { headers: { host: 'evil.example' } }, { status: 421, code: 'host_not_allowed' }],
    [
      'an unknown origin',
      { headers: { origin: 'https://evil.example' } },
      { status: 403, code: 'insufficient_access' },
    ],
    ['bad subprotocols', { headers: { 'sec-websocket-protocol': 'a,a' } }, { status: 400, code: 'bad_request' }],
    [
      'an unknown query parameter',
      { path: '/api/v2/events?topics=missions' },
      { status: 422, code: 'validation_failed' },
    ],
    ['a token in the URL', { path: '/api/v2/events?token=x' }, { status: 422, code: 'validation_failed' }],
    ['another path', { path: '/api/v1/events' }, { status: 404, code: 'not_found' }],
  ])('answers a handshake with %s with a problem', async (_what, options, problem) => {
    expect(await refusedHandshake(openEvents(service.url, options))).toEqual(problem);
  });

  it('takes the query parameters that only keep caches away', async () => {
    const client = openEvents(service.url, { path: '/api/v2/events?_=1&cb=2&nocache=3' });
    await once(client.socket, 'open');
    client.socket.close();
  });

  it('answers an incomplete handshake with a problem', async () => {
    const headers = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    expect((await http(service.url, '/api/v2/events', { headers })).json).toMatchObject({ code: 'bad_request' });
  });

  it.each([
    ['its own origin', () => service.url],
    ['a listed origin', () => 'https://console.example'],
  ])('is opened by a page of %s', async (_what, origin) => {
    const client = openEvents(service.url, { headers: { origin: origin() } });
    await once(client.socket, 'open');
    client.socket.close();
  });

  it('leaves a stop that asks for an upgrade what it was', async () => {
    const token = await service.token('USER');
    const head = `POST /api/v2/stop HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\nconnection: upgrade\r\nupgrade: websocket\r\ncontent-length: 2\r\n\r\n{}`;
    expect(await rawExchange(service.url, [head])).toContain('"stopped":true');
  });

  it('is counted in /metrics', async () => {
    const client = await subscribeEvents(service.url, ['missions'], { token: await service.token('USER') });
    const { text } = await service.as(undefined, '/metrics');
    expect(Number(/^events_connections\{face="websocket"\} (\d+)/m.exec(text)?.[1])).toBeGreaterThan(0);
    expect(Number(/^events_sent_total\{face="websocket"\} (\d+)/m.exec(text)?.[1])).toBeGreaterThan(0);
    expect(text).toContain('http_requests_total{route="/api/{version}/events",method="GET",status="101"}');
    client.socket.close();
  });
});

describeWith('Events over TLS', OPENSSL, 'openssl', () => {
  it('come over a WebSocket as well', async () => {
    const { certPath, keyPath } = makeCertificate(temporaryFolder(), 'robot');
    const settings = { SERVICE_TLS_PORT: '0', SERVICE_TLS_CERT_PATH: certPath, SERVICE_TLS_KEY_PATH: keyPath };
    const secure = await startTestService({ settings });
    try {
      const client = openEvents(secure.tlsUrl, { token: await secure.token('USER'), rejectUnauthorized: false });
      await once(client.socket, 'open');
      await client.next('it is authenticated', ({ type }) => type === 'authenticated');
      client.socket.close();
    } finally {
      await secure.stop();
    }
  });
});
