import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ settings: { SERVICE_ROBOT_URL: 'mqtt://127.0.0.1:1/robot-1' } });
});
afterAll(() => service.stop());

describe('With a robot on another machine', () => {
  it('says that volume and description are those of the host', async () => {
    const body = { percentage: { value: 30 } };
    expect((await service.as('USER', '/api/v2/volume/', { method: 'POST', body })).json).toMatchObject({ of: 'host' });
    expect((await service.as('USER', '/api/v1/volume/')).json).toMatchObject({ of: 'host' });
    expect((await service.as('USER', '/api/v2/urdf/pip.urdf')).json).toMatchObject({ of: 'host' });
  });
});
