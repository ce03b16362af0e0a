import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { XMLValidator } from 'fast-xml-parser';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe.each(['v1', 'v2'])('On a fresh start in sim mode, %s', (version) => {
  it('serves the URDF of the starter robot and all its meshes', async () => {
    const { status, json } = await service.as('USER', `/api/${version}/urdf/pip.urdf`);
    expect(status).toBe(200);
    expect(XMLValidator.validate(json.urdf)).toBe(true);
    expect(json.meshes).toHaveLength(8);
    for (const url of json.meshes) {
      const mesh = await service.as('USER', url);
      expect(mesh.status).toBe(200);
      expect(mesh.headers['content-type']).toBe('model/stl');
      expect(mesh.bytes.length).toBe(84 + 50 * mesh.bytes.readUInt32LE(80));
    }
  });

  it('serves and changes the language-model configuration', async () => {
    const path = `/api/${version}/llm_config/`;
    const before = await service.as('ENCHANTER', path);
    expect(before.json).toMatchObject({ stream: true, daily_token_limit: null, retry: { attempts: 3 } });
    const { max_tokens: previous } = before.json;
    const changed = await service.as('ENCHANTER', path, {
      method: 'PATCH',
      body: { command: 'max_tokens', value: previous + 1 },
    });
    expect(changed.json).toEqual({ command: 'max_tokens', value: previous + 1, previous });
    const after = await service.as('ENCHANTER', path);
    expect(after.json).toEqual({ ...before.json, max_tokens: previous + 1 });
    expect(after.headers.etag).toBe(changed.headers.etag);
  });
});
