import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AccessLevel } from '../../functions/shared/access.ts';
import { tokens } from '../../functions/shared/identity/ports.ts';
import { type HttpCall, http } from '../support/http.ts';
import { filled, ROUTE_CALLS, type RouteCall } from '../support/route-calls.ts';
import { startTestService, type TestService, testKeyId } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

/** A fleet whose broker is out of reach: what is refused or answered without a robot does not need one. */
let service: TestService;
const home = temporaryFolder();
const skill = join(home, '.robot-rest', 'skills', 'greet.py');
beforeAll(async () => {
  service = await startTestService({ settings: { HOME: home, SERVICE_ROBOT_URL: 'mqtt://127.0.0.1:1' } });
  writeFileSync(skill, 'x = 1\n');
});
afterAll(() => service.stop());

/** A token for one robot. */
async function tokenFor(robotId: string, accessLevel: AccessLevel, keyId = testKeyId(accessLevel)): Promise<string> {
  const minting = await service.ports.forRobot(robotId, false).get(tokens);
  return (await minting.mint({ accessLevel, keyId, mayPublish: false })).token;
}

const ask = (path: string, token: string | undefined, call: HttpCall = {}) =>
  http(service.url, path, {
    ...call,
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...call.headers },
  });

/** What a call of a route says, with a body that no schema takes. */
async function walk({ method, pattern }: RouteCall, token: string | undefined) {
  const body = method === 'GET' ? undefined : 'x';
  const headers = { 'content-type': 'text/plain' };
  return ask(`/robot-1/rest${filled(pattern, 'greet')}`, token, { method, headers, body });
}

const ofTheHost = ROUTE_CALLS.filter(({ route }) => !route.endpoint.spec.perRobot);
const ofARobot = ROUTE_CALLS.filter(({ route }) => route.endpoint.spec.perRobot);
const named = (calls: readonly RouteCall[]) => calls.map((call) => [`${call.method} ${call.pattern}`, call] as const);

describe('Under /{robot_id}/rest', () => {
  it.each(named(ofTheHost))('%s is refused, and nobody gets past token and level before', async (_name, call) => {
    const { access } = call.route.endpoint.spec;
    const { status, json } = await walk(call, await tokenFor('robot-1', 'ENCHANTER'));
    expect([status, json.code]).toEqual([503, 'component_unavailable']);
    expect(json.detail).toContain('only reachable at the robot itself');
    if (access === 'public') return;
    expect((await walk(call, undefined)).json.code).toBe('missing_token');
    expect((await walk(call, await tokenFor('robot-2', 'ENCHANTER'))).json.code).toBe('token_invalid');
    if (typeof access === 'string') return;
    expect((await walk(call, await tokenFor('robot-1', 'USER'))).json.code).toBe('insufficient_access');
  });

  it.each(named(ofARobot))('%s is not refused as such', async (_name, call) => {
    const { json } = await walk(call, await tokenFor('robot-1', 'ENCHANTER'));
    expect(json?.code).not.toBe('component_unavailable');
  });

  it('nothing changes what is on the host', async () => {
    const token = await tokenFor('robot-1', 'ENCHANTER');
    const item = { tablename: 'robots_table', item: { name: 'kept' } };
    const added = await service.as('ENCHANTER', '/api/v2/database/add_item/', { method: 'POST', body: item });
    expect(added.status).toBe(200);
    const attempts: Array<[string, HttpCall]> = [
      ['/api/v2/skill/remove/?skill_name=greet.py', { method: 'DELETE' }],
      ['/api/v2/database/clear_table/?tablename=robots_table', { method: 'DELETE' }],
      ['/api/v2/clear_database', {}],
      ['/api/v1/clear_database/', {}],
      ['/api/v2/llm_config/', { method: 'PATCH', body: { command: 'max_tokens', value: 1 } }],
      ['/api/v2/volume/', { method: 'POST', body: { percentage: { value: 1 } } }],
    ];
    for (const [path, call] of attempts) {
      expect(await ask(`/robot-1/rest${path}`, token, call)).toMatchObject({ status: 503 });
    }
    expect(existsSync(skill)).toBe(true);
    const { json } = await service.as('USER', '/api/v2/database/read/?tablename=robots_table');
    expect(json).toMatchObject([{ name: 'kept' }]);
  });

  it.each([
    ['/robot-1/rest', '/robot-1/rest'],
    ['/rest', '/rest'],
    ['', ''],
  ])('errors below %p name paths as the caller has to write them', async (prefix, written) => {
    const missing = await ask(`${prefix}/api/v2/commands/`, undefined);
    expect(missing.json.detail).toContain(` GET ${written}/api/v2/auth/ exchanges`);
    const unknown = await ask(`${prefix}/api/v2/nowhere`, undefined);
    expect(unknown.json.detail).toContain(` GET ${written}/openapi.json lists`);
    const token = await tokenFor('robot-1', 'USER');
    const wrong = await ask(`${prefix}/api/v2/commands/`, `${token}x`);
    expect(wrong.json.detail).toContain(` GET ${written}/api/v2/auth/.`);
  });

  it('tokens are issued, refreshed, and ended for that robot', async () => {
    const { json } = await http(service.socketPath, '/robot-1/rest/api/v2/auth/');
    const headers = { authorization: `Bearer ${json.token}` };
    const refreshed = await http(service.socketPath, '/robot-1/rest/api/v2/auth/refresh/', { headers });
    expect(refreshed.status).toBe(200);
    expect((await ask('/robot-2/rest/api/v2/auth/logout', json.token, { method: 'POST' })).status).toBe(401);
    expect((await ask('/robot-1/rest/api/v2/auth/logout', json.token, { method: 'POST' })).status).toBe(200);
    for (const token of [json.token, refreshed.json.token]) {
      expect((await ask('/robot-1/rest/api/v2/commands/', token)).json.code).toBe('token_invalid');
    }
  });
});
