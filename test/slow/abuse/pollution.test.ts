import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { filled, membersOf, ROUTE_CALLS } from '../../support/route-calls.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** What every object would have if one had been spoilt. */
function pollution(): unknown {
  const probe: Record<string, unknown> = {};
  return [probe.polluted, probe.isAdmin, Object.keys(Object.prototype)];
}

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];

describe('Names of inherited properties', () => {
  it.each(NAMES)('finds nothing for the path parameter %s on any route', async (name) => {
    for (const { method, pattern } of ROUTE_CALLS.filter((call) => call.pattern.includes('{'))) {
      const answer = await service.as('ENCHANTER', filled(pattern, name), {
        method,
        body: method === 'GET' ? undefined : {},
      });
      expect([pattern, answer.status >= 400 && answer.status < 500]).toEqual([pattern, true]);
    }
    expect(pollution()).toEqual([undefined, undefined, []]);
  });

  it.each(NAMES)('treats %s in a query like any other parameter on any route', async (name) => {
    for (const { route, method, pattern } of ROUTE_CALLS.filter(
      ({ pattern }) => !pattern.endsWith('/clear_database'),
    )) {
      const own = membersOf(route.endpoint.spec.input?.query).map((member) => `${member}=${name}`);
      const query = [`${name}=1`, `${name}[polluted]=1`, `${name}.polluted=1`, ...own].join('&');
      const answer = await service.as('ENCHANTER', `${filled(pattern, 'x')}?${query}`, { method });
      expect([pattern, answer.status !== 500]).toEqual([pattern, true]);
    }
    expect(pollution()).toEqual([undefined, undefined, []]);
  });

  it('never change a prototype through a body on any route', async () => {
    const takers = ROUTE_CALLS.filter(
      ({ route: { endpoint } }) => endpoint.spec.input?.body && endpoint.spec.bodyType !== 'multipart',
    );
    expect(takers.length).toBeGreaterThan(20);
    const spoilt = '{"__proto__":{"polluted":1,"isAdmin":true}}';
    for (const { route, method, pattern } of takers) {
      const members = membersOf(route.endpoint.spec.input?.body).map((name) => `${JSON.stringify(name)}:${spoilt}`);
      const bodies = [
        spoilt,
        '{"constructor":{"prototype":{"polluted":1}}}',
        `{${members.join(',')}}`,
        `{${[...members, '"__proto__":{"polluted":1}'].join(',')}}`,
      ];
      for (const body of bodies) {
        const headers = { 'content-type': 'application/json' };
        const answer = await service.as('ENCHANTER', filled(pattern, 'x'), { method, headers, body });
        expect([pattern, body, answer.status >= 400 && answer.status < 500]).toEqual([pattern, body, true]);
      }
    }
    expect(pollution()).toEqual([undefined, undefined, []]);
  });
});
