import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const PATH = '/api/v2/llm_config/';

describe('The language-model configuration', () => {
  it('is only accessible for ENCHANTER', async () => {
    for (const method of ['GET', 'PATCH']) {
      expect((await service.as(undefined, PATH, { method })).status).toBe(401);
      for (const level of ['USER', 'ADMIN'] as const)
        expect((await service.as(level, PATH, { method })).status).toBe(403);
    }
  });

  it('answers HEAD with everything except the bytes', async () => {
    const get = await service.as('ENCHANTER', PATH);
    const { status, headers, text } = await service.as('ENCHANTER', PATH, { method: 'HEAD' });
    expect([status, headers.etag, headers['content-length'], text]).toEqual([
      200,
      get.headers.etag,
      get.headers['content-length'],
      '',
    ]);
  });

  it('keeps all comments byte for byte when changed', async () => {
    const headers = { accept: 'application/yaml' };
    const before = await service.as('ENCHANTER', PATH, { headers });
    expect(before.headers['content-type']).toBe('application/yaml');
    const value = 'You are Pip.\nYou are kind.\n';
    const { status } = await service.as('ENCHANTER', PATH, {
      method: 'PATCH',
      body: { command: 'system_prompt', value },
    });
    expect(status).toBe(200);
    const after = await service.as('ENCHANTER', PATH, { headers });
    const block = /(system_prompt: \|\n)(?: {2}.*\n)+/;
    expect(after.text).toBe(before.text.replace(block, '$1  You are Pip.\n  You are kind.\n'));
  });

  it('is changed by only one of two clients that read the same state', async () => {
    const { etag = '' } = (await service.as('ENCHANTER', PATH)).headers;
    const change = (value: number) =>
      service.as('ENCHANTER', PATH, {
        method: 'PATCH',
        headers: { 'if-match': etag },
        body: { command: 'top_p', value },
      });
    const statuses = (await Promise.all([change(0.1), change(0.2)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 412]);
  });
});
