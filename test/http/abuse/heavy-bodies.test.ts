import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const members = (length: number) => Object.fromEntries(Array.from({ length }, (_, index) => [index, 1]));

describe('A body of many members', () => {
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
