import { describe, expect, it } from '@jest/globals';
import { startTestService } from '../support/service.ts';

describe('GET /status', () => {
  it.each([
    [{}, ['robot', 'audio', 'services', 'wifi']],
    [{ SERVICE_MODE: 'robot', SERVICE_HOST: '127.0.0.1' }, []],
    [{ SERVICE_MODE: 'robot', SERVICE_HOST: '127.0.0.1', SERVICE_ROBOT_URL: 'sim:' }, ['robot']],
  ])('lists the simulated parts with %j', async (settings, simulated) => {
    const service = await startTestService({ settings });
    expect((await service.as(undefined, '/status')).json.simulated).toEqual(simulated);
    await service.stop();
  });

  it('does not report the simulated robot for lacking link-loss protection', async () => {
    const service = await startTestService();
    expect((await service.as(undefined, '/status')).json).not.toHaveProperty('robot_notes');
    expect((await service.as(undefined, '/health/ready')).json.parts.robot).toEqual({ ok: true });
    await service.stop();
  });
});
