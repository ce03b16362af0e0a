import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AccessLevel } from '../../functions/shared/access.ts';
import { concretePaths } from '../../local-host/http/router.ts';
import { ROUTES, type Route } from '../../local-host/routes.ts';
import { http } from '../support/http.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** Who gets past the checks of token and level: 401 and 403 say no, everything else was let in. */
function expected(route: Route, level: AccessLevel | undefined): 'in' | 401 | 403 {
  const { access } = route.endpoint.spec;
  if (route.path.includes('{signature}')) return 401; // it is no signature of this service, whoever shows it
  if (access === 'public') return 'in';
  if (access === 'api-key' || level === undefined) return 401;
  if (typeof access === 'string') return 'in';
  return access.includes(level) ? 'in' : 403;
}

async function walk(level: AccessLevel | undefined): Promise<[string, 'in' | 401 | 403][]> {
  const seen: [string, 'in' | 401 | 403][] = [];
  for (const route of ROUTES) {
    for (const pattern of concretePaths(route)) {
      // A body that no schema takes: whoever is let in gets no further than 415 or 422, so nothing happens.
      // What takes no body runs: on a fresh database and a simulated robot.
      const path = pattern.replace(/\{\w+\+?\}/g, 'walk-that-does-not-exist');
      const call = {
        method: route.method,
        headers: { 'content-type': 'text/plain' },
        body: route.method === 'GET' ? undefined : 'x',
      };
      const { status } = await service.as(level, path, call);
      seen.push([`${route.method} ${pattern}`, status === 401 || status === 403 ? status : 'in']);
    }
  }
  return seen;
}

describe.each([undefined, 'USER', 'ADMIN', 'ENCHANTER'] as const)(
  'A walk over every route with a token of level %s',
  (level) => {
    it('has access exactly where the access table allows it', async () => {
      const table = ROUTES.flatMap((route) =>
        concretePaths(route).map((pattern) => [`${route.method} ${pattern}`, expected(route, level)] as const),
      );
      expect(await walk(level)).toEqual(table);
    });
  },
);

describe('Over the Unix socket', () => {
  it('needs no key for a token and no token for stop, but a token for everything else', async () => {
    const auth = await http(service.socketPath, '/api/v2/auth/', { headers: { 'x-api-key': '' } });
    expect(auth.json).toMatchObject({ access_level: 'ADMIN', token_type: 'Bearer', expires_in: 1800 });
    expect((await http(service.socketPath, '/api/v1/stop', { method: 'POST' })).status).toBe(200);
    expect((await http(service.socketPath, '/api/v2/commands/')).json.code).toBe('missing_token');
    const headers = { authorization: `Bearer ${auth.json.token}` };
    expect((await http(service.socketPath, '/api/v2/commands/', { headers })).status).toBe(200);
  });

  it('does not let a header pretend that a TCP request came through it', async () => {
    const headers = { 'x-forwarded-proto': 'unix', 'x-listener': 'socket', forwarded: 'for=unix:' };
    expect((await http(service.url, '/api/v2/auth/', { headers })).json.code).toBe('missing_api_key');
  });
});
