import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const members = (length: number) => Object.fromEntries(Array.from({ length }, (_, index) => [index, 1]));

describe('A body with many members', () => {
  it.each([
    ['POST', '/api/v1/dict/', { command: 'skill', value: members(10_001) }],
    ['POST', '/api/v2/commands/skill/', { value: members(10_001) }],
    ['PUT', '/api/v2/database/update_controller_config/', { config: Array(10_001).fill(0) }],
  ] as const)('is refused by %s %s before any schema looks at it', async (method, path, body) => {
    const { status, json } = await service.as('ENCHANTER', path, { method, body });
    expect({ status, code: json.code, detail: json.detail }).toEqual({
      status: 422,
      code: 'validation_failed',
      detail:
        'The objects and arrays of a body may have at most 10000 members together. Send them in several requests.',
    });
  });
});

describe('Bodies of maximum size', () => {
  it('are processed one by one, so that a stop does not wait for all of them', async () => {
    const body = { command: 'no_such_command', value: members(9_000) };
    const ended: string[] = [];
    const ask = (name: string, path: string, content?: unknown) =>
      service.as('USER', path, { method: 'POST', body: content }).then(({ status }) => ended.push(`${name} ${status}`));
    await service.token('USER');
    const all = Array.from({ length: 12 }, () => ask('heavy', '/api/v1/dict/', body));
    await Promise.all([...all, ask('stop', '/api/v2/stop')]);
    expect(ended).toContain('stop 200');
    expect(ended.indexOf('stop 200')).toBeLessThan(6);
    expect(ended.filter((name) => name === 'heavy 404')).toHaveLength(12);
  });
});
