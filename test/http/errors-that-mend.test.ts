import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HttpCall, http } from '../support/http.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ settings: { SERVICE_ALLOWED_UNITS: 'head=robot-*.service' } });
});
afterAll(() => service.stop());

const NOT_WRAPPED =
  'The body must be an object; wrap the value: {"value": …}. A command that takes no value needs no body.';

const post = (body: unknown): HttpCall => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

describe('A refused request', () => {
  it.each<[string, HttpCall, string, string]>([
    ['/api/v2/database/read/', {}, 'query:tablename', '"tablename" is required: add "?tablename=…" to the URL.'],
    [
      '/api/v2/database/add_item/',
      post({ item: {} }),
      '/tablename',
      '"tablename" is required: add it to the JSON body.',
    ],
    [
      '/api/v2/database/read_item/?data=%7B%22item%22%3A%7B%7D%7D',
      {},
      'query:data',
      '"data.tablename" is required: add it to the JSON in the query parameter "data".',
    ],
    [
      '/api/v2/database/update_item/',
      { ...post({ tablename: 'robots_table', item: { id: 1 }, attribute: 'name' }), method: 'PUT' },
      '/new_value',
      '"new_value" is required: add it to the JSON body; null is a value.',
    ],
    ['/api/v2/commands/sound_level/', post(40), '', NOT_WRAPPED],
    ['/api/v2/commands/is_detected/', post('rune-1'), '', NOT_WRAPPED],
    ['/api/v2/commands/play_sequence/', post(['wave']), '', NOT_WRAPPED],
    ['/api/v2/commands/get_language/', post('x'), '', NOT_WRAPPED],
    ['/api/v1/int/', post(40), '', 'The body is a number and must be an object; wrap it: {"command": …, "value": …}.'],
    [
      '/api/v1/int/',
      post({ command: 'sound_level', value: 1.5 }),
      '/value',
      '"value" must be an integer, not a fraction.',
    ],
    [
      '/api/v1/int/',
      post({ command: 'sound_level', valeu: 1 }),
      '/value',
      '"value" is required: add it to the JSON body.',
    ],
    [
      '/api/v2/commands/go_to_relative/',
      post({ value: { x: 1, w: 2 } }),
      '/value/w',
      'Unknown member "w". Known here: x, y, z, theta.',
    ],
    [
      '/api/v2/commands/go_to_relative/',
      post({ value: { x: '1' } }),
      '/value/x',
      '"value.x" must be a number, not a string.',
    ],
    [
      '/api/v2/volume/',
      post({ percentage: { value: 101 } }),
      '/percentage/value',
      '"percentage.value" must be at most 100.',
    ],
    ['/api/v2/volume/', post({ percentage: 40 }), '/percentage', '"percentage" must be an object, not a number.'],
    [
      '/api/v2/audit/?since=yesterday',
      {},
      'query:since',
      '"since" must be a date and time with its offset (RFC 3339), as in 2026-05-04T10:20:30Z.',
    ],
    [
      '/api/v2/audit/?until=2026-05-04T10:20:30+02:00',
      {},
      'query:until',
      '"until" must be a date and time with its offset (RFC 3339), as in 2026-05-04T10:20:30Z. Write a plus sign as %2B in a URL.',
    ],
    ['/api/v2/network/configure/', post({ ssid: '' }), '/ssid', '"ssid" must not be empty.'],
    [
      '/api/v2/network/configure/',
      post({ ssid: 'a', security: 'wep' }),
      '/security',
      '"security" must be "open", "wpa-psk", "sae" or "wpa-eap".',
    ],
    [
      '/api/v2/skill/enable/',
      { ...post({ command: 'wave', value: 'true' }), method: 'PATCH' },
      '/value',
      '"value" must be true or false, not a string.',
    ],
    [`/api/v2/get/${'x'.repeat(129)}`, {}, 'path:command', '"command" must have at most 128 characters.'],
    ['/api/v2/volume/?unit=percent', {}, 'query:unit', 'Unknown query parameter "unit". None are known here.'],
  ])('to %s says how to mend it', async (path, call, pointer, message) => {
    const { status, json } = await service.as('ENCHANTER', path, call);
    expect([status, json.code]).toEqual([422, 'validation_failed']);
    expect(json.errors[0]).toEqual({ pointer, message });
    expect(json.detail).toBe(pointer === '' ? message : `${message} (${pointer})`);
  });
});

describe('An API key in the place of a token', () => {
  const KEY = `rk_${'k'.repeat(43)}`;

  it.each([`Bearer ${KEY}`, `bearer  ${KEY}`, KEY])(
    'is named as such, and never repeated (%#)',
    async (authorization) => {
      const { status, json, text, headers } = await http(service.url, '/api/v2/volume/', {
        headers: { authorization },
      });
      expect([status, json.code]).toEqual([401, 'token_invalid']);
      expect(json.detail).toMatch(/^This is an API key: trade it at GET \/api\/v2\/auth\/ with the header "X-API-Key/);
      expect([text, JSON.stringify(headers)].join()).not.toContain(KEY);
    },
  );
});

describe('A refused token or key', () => {
  it.each<[string, string, number, RegExp]>([
    [
      'an unknown key',
      '/api/v2/auth/',
      401,
      /Send it as it was printed when it was created, or have a new one created/,
    ],
    ['no key', '/api/v2/auth/', 401, /Send an API key in the header "X-API-Key"/],
    [
      'another scheme',
      '/api/v2/volume/',
      401,
      /must have the form "Bearer <token>", with the token from GET \/api\/v2\/auth\//,
    ],
    ['no token', '/api/v2/volume/', 401, /GET \/api\/v2\/auth\/ exchanges an API key for one/],
    ['a forged token', '/api/v2/volume/', 401, /Get a new one from GET \/api\/v2\/auth\//],
  ])('with %s says how to mend it', async (what, path, status, mend) => {
    const headers: Record<string, Record<string, string>> = {
      'an unknown key': { 'x-api-key': 'rk_unknown' },
      'another scheme': { authorization: 'Basic dTpw' },
      'a forged token': { authorization: 'Bearer a.b.c' },
    };
    const answer = await http(service.url, path, { headers: headers[what] ?? {} });
    expect([answer.status, answer.json.detail]).toEqual([status, expect.stringMatching(mend)]);
  });

  it('of too low a level says which key gives a better one', async () => {
    const { json } = await service.as('USER', '/api/v2/skill/list/');
    expect(json.detail).toMatch(
      /^This needs access level .*GET \/api\/v2\/auth\/ gives one to an API key of that level\.$/,
    );
    const prefetch = { headers: { purpose: 'prefetch' } };
    expect((await service.as('ENCHANTER', '/api/v2/clear_database', prefetch)).json.detail).toContain(
      'Send it without',
    );
  });
});

describe('A prefetch', () => {
  it.each([
    ['GET', '/api/v2/get/get_language', 200],
    ['GET', '/api/v2/volume/', 200],
    ['GET', '/status', 200],
    ['GET', '/api/v2/get/exit_arms_collision', 403],
    ['GET', '/api/v2/auth/refresh/', 403],
    ['GET', '/api/v2/clear_database', 403],
  ])('%s %s is answered with %i', async (method, path, status) => {
    for (const headers of [{ 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }]) {
      expect((await service.as('ENCHANTER', path, { method, headers })).status).toBe(status);
    }
  });
});
