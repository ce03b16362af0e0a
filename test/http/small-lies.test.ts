import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openEvents } from '../support/events.ts';
import { http } from '../support/http.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

const LOGS = '/api/v2/service/head/robot-vision.service';
const READ = '/api/v2/database/read/?tablename=robots_table';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    settings: {
      SERVICE_SOCKET_PATH: join(temporaryFolder(), 'rest.sock'),
      SERVICE_ALLOWED_UNITS: 'head=robot-*.service;base=*.service',
    },
  });
});
afterAll(() => service.stop());

describe('Numbers in a query', () => {
  const routes = ['/api/v2/audit/?limit=', `${READ}&limit=`, `${LOGS}?lines=`];

  it.each(routes)('are digits alone: %s', async (route) => {
    for (const number of ['0x10', '1e1', '%2B3', '+3', '-1', '1.0', '1_0', '%203', '']) {
      const { status, json } = await service.as('ENCHANTER', route + number);
      expect([number, status, json.code]).toEqual([number, 422, 'validation_failed']);
      expect(json.detail).toContain('digits alone');
    }
    expect((await service.as('ENCHANTER', `${route}10`)).status).toBe(200);
  });
});

describe('Booleans in a query', () => {
  /** What a token may do with streams that was asked for with this value. */
  async function permissions(publish: string): Promise<string[]> {
    const { json } = await http(service.socketPath, `/api/v2/auth/?mediamtx_publish=${publish}`);
    const claims = JSON.parse(Buffer.from(json.token.split('.')[1], 'base64url').toString());
    return claims.mediamtx_permissions.map(({ action }: { action: string }) => action);
  }

  it.each(['true', 'True', '1'])('%s is true', async (text) => {
    const client = await openEvents(`${service.url}${LOGS}?follow=${text}`, await service.token('ADMIN'));
    client.leave();
    expect(await permissions(text)).toEqual(['read', 'publish']);
  });

  it.each(['false', 'False', '0'])('%s is false', async (text) => {
    const { headers } = await service.as('ADMIN', `${LOGS}?follow=${text}`);
    expect(headers['content-type']).toBe('application/json');
    expect(await permissions(text)).toEqual(['read']);
  });

  it.each(['yes', 'TRUE!', '2', ''])('"%s" is neither', async (text) => {
    const { status, json } = await service.as('ADMIN', `${LOGS}?follow=${text}`);
    expect([status, json.detail]).toEqual([422, 'Must be true or false. (query:follow)']);
  });
});

describe('Accept and query', () => {
  it.each([
    ['', 'text/event-stream'],
    ['', 'text/event-stream, application/json;q=0'],
    ['?follow=false', 'text/event-stream;q=0.5'],
    ['?follow=true', 'application/json'],
    ['?follow=true', 'text/plain'],
    ['?follow=true', '*/*, text/event-stream;q=0'],
  ])('that contradict each other are 422: "%s" with %s', async (query, accept) => {
    const { status, json } = await service.as('ADMIN', LOGS + query, { headers: { accept } });
    expect([status, json.errors[0].pointer]).toEqual([422, 'header:accept']);
    expect(json.detail).toContain('follow=true');
  });

  it.each([
    ['', 'text/event-stream, application/json', 'application/json'],
    ['', 'text/event-stream, */*;q=0.1', 'application/json'],
    ['', 'text/html', 'application/json'],
  ])('that agree are answered: "%s" with %s', async (query, accept, type) => {
    const { status, headers } = await service.as('ADMIN', LOGS + query, { headers: { accept } });
    expect([status, headers['content-type']]).toEqual([200, type]);
  });

  it.each(['text/event-stream', 'text/*', '*/*', 'application/json, text/event-stream;q=0.1'])(
    'give a stream for follow=true with %s',
    async (accept) => {
      const controller = new AbortController();
      const answer = await fetch(`${service.url}${LOGS}?follow=true`, {
        headers: { accept, authorization: `Bearer ${await service.token('ADMIN')}` },
        signal: controller.signal,
      });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
      controller.abort();
    },
  );
});

describe('A unit', () => {
  it.each([
    ['robot-vision.service', 200, undefined],
    ['robot-absent.service', 404, 'not_found'],
    ['other.service', 404, 'unit_not_allowed'],
  ])('%s is answered with %i', async (unit, status, code) => {
    const answer = await service.as('ADMIN', `/api/v2/service/head/${unit}`);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });
});

describe('A command without a value', () => {
  it.each(['{}', '{"value":null}', ''])('takes the body %j', async (body) => {
    const path = '/api/v2/commands/get_language/';
    const headers = { 'content-type': 'application/json' };
    const { status, json } = await service.as('USER', path, { method: 'POST', headers, body });
    expect([status, json.value, 'result' in json]).toEqual([200, undefined, true]);
  });
});

describe('Query parameters', () => {
  it.each([
    `${READ}&tablename=robots_table`,
    `${READ}&limit=1&limit=2`,
    '/api/v2/volume/?a=1&a=2',
    '/api/v2/audit/?%6cimit=1&limit=1',
  ])('that come twice are 422: %s', async (path) => {
    const { status, json } = await service.as('ENCHANTER', path);
    expect([status, json.errors[0].message]).toEqual([422, expect.stringContaining('more than once')]);
  });

  it.each([`${READ}&_=17&cb=2&nocache=1`, '/api/v2/volume/?_=1&_=2', '/status?nocache=1', '/docs?theme=dark'])(
    'that only keep caches away are ignored: %s',
    async (path) => {
      expect((await service.as('ENCHANTER', path)).status).toBe(200);
    },
  );

  it('that are unknown are named, with the known ones', async () => {
    const { status, json } = await service.as('ENCHANTER', `${READ}&limt=1`);
    expect([status, json.errors]).toEqual([
      422,
      [
        {
          pointer: 'query:limt',
          message: 'Unknown query parameter "limt". Known here: tablename, limit, offset.',
        },
      ],
    ]);
  });

  it.each(['/status', '/health/live', '/openapi.json', '/.well-known/jwks.json'])(
    'that are unknown are refused on the public %s as well',
    async (path) => {
      const { status, json } = await service.as(undefined, `${path}?verbose=1`);
      expect([status, json.detail]).toEqual([
        422,
        'Unknown query parameter "verbose". None are known here. (query:verbose)',
      ]);
    },
  );

  it('never keep a stop from acting', async () => {
    const { status, json } = await service.as('USER', '/api/v2/stop?a=1&a=2&b', { method: 'POST' });
    expect([status, json.stopped]).toEqual([200, true]);
  });
});

describe('6GHz', () => {
  it('is the name of a band in the list and to configure alike', async () => {
    const { json } = await service.as('ADMIN', '/api/v2/network/get_wifi_list');
    const network = json.networks.find(({ band }: { band: string }) => band === '6GHz');
    const configure = (band: string) =>
      service.as('ADMIN', '/api/v2/network/configure/', {
        method: 'POST',
        body: { ssid: network.ssid, password: 'simulated', band },
      });
    expect((await configure('5GHz')).json.code).toBe('wifi_ssid_not_found');
    const { status, json: joined } = await configure(network.band);
    expect([status, joined.connection.band]).toEqual([200, '6GHz']);
  });
});
