import { describe, expect, it } from '@jest/globals';
import { startTestService } from '../support/service.ts';

describe('GET /status', () => {
  it.each([
    [{}, ['robot', 'audio', 'services', 'wifi']],
    [{ SERVICE_MODE: 'robot', SERVICE_HOST: '127.0.0.1' }, []],
    [{ SERVICE_MODE: 'robot', SERVICE_HOST: '127.0.0.1', SERVICE_ROBOT_URL: 'sim:' }, ['robot']],
  ])('names what is simulated with %j', async (settings, simulated) => {
    const service = await startTestService({ settings });
    expect((await service.as(undefined, '/status')).json.simulated).toEqual(simulated);
    await service.stop();
  });
});
