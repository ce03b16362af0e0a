import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { concretePaths } from '../../../local-host/http/router.ts';
import { ROUTES } from '../../../local-host/routes.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const calls = ROUTES.flatMap((route) =>
  concretePaths(route).map((path) => ({
    route,
    method: route.method,
    path: path.replace(/\{\w+\+?\}/g, 'get_language'),
  })),
);

/** What a form of any web page can send without asking first (Fetch Standard, CORS-safelisted request). */
const FORMS = {
  'text/plain': '{"command":"sound_level","value":10}',
  'application/x-www-form-urlencoded': 'command=sound_level&value=10',
  'multipart/form-data; boundary=x': '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n',
};

describe('A web page of another origin', () => {
  it.each(Object.entries(FORMS))(
    'achieves nothing with a form of %s, because it cannot send a token',
    async (type, body) => {
      const guarded = calls.filter(({ method, route }) => method === 'POST' && route.endpoint.spec.access !== 'public');
      expect(guarded.length).toBeGreaterThan(10);
      for (const { path } of guarded) {
        const headers = { 'content-type': type, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
        const answer = await service.as(undefined, path, { method: 'POST', headers, body });
        expect([path, answer.status, answer.headers['access-control-allow-origin']]).toEqual([path, 401, undefined]);
      }
    },
  );

  it.each(Object.entries(FORMS))(
    'does nothing with a form of %s even where something adds a token',
    async (type, body) => {
      const takers = calls.filter(
        ({ route }) => route.endpoint.spec.input?.body && route.endpoint.spec.bodyType !== 'multipart',
      );
      expect(takers.length).toBeGreaterThan(20);
      for (const { method, path } of takers) {
        const answer = await service.as('ENCHANTER', path, { method, headers: { 'content-type': type }, body });
        expect([method, path, answer.status, answer.json.code]).toEqual([method, path, 415, 'unsupported_media_type']);
      }
    },
  );

  it('gets no CORS permission on any route', async () => {
    for (const { method, path } of calls) {
      const headers = { origin: 'https://evil.example', 'access-control-request-method': method };
      const answer = await service.as(undefined, path, { method: 'OPTIONS', headers });
      expect([path, answer.status, answer.headers['access-control-allow-methods']]).toEqual([path, 405, undefined]);
    }
  });

  it('is rejected on every route when its name is rebound to the robot', async () => {
    for (const { method, path } of calls) {
      const answer = await service.as('ENCHANTER', path, { method, headers: { host: 'rebound.evil.example' } });
      expect([path, answer.status, answer.json.code]).toEqual([path, 421, 'host_not_allowed']);
    }
  });
});

describe('A compressed body', () => {
  it.each(['gzip', 'deflate', 'br', 'zstd', 'identity', 'gzip, gzip'])(
    'of %s is refused unread on every route',
    async (coding) => {
      for (const { method, path, route } of calls.filter((call) => call.route.endpoint.spec.input?.body)) {
        const type =
          route.endpoint.spec.bodyType === 'multipart' ? 'multipart/form-data; boundary=x' : 'application/json';
        const headers = { 'content-type': type, 'content-encoding': coding };
        const answer = await service.as('ENCHANTER', path, { method, headers, body: '{}' });
        expect([method, path, answer.status, answer.json.code]).toEqual([method, path, 415, 'unsupported_media_type']);
      }
    },
  );
});
