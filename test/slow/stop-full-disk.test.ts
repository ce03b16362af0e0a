import { expect, it } from '@jest/globals';
import { until } from '../support/processes.ts';
import { startTestService } from '../support/service.ts';
import { describeOnDisks } from '../support/small-disk.ts';

/** More than the numbers that are reserved at once. */
const STOPS = 1_100;

describeOnDisks('A robot whose disk is full', (mount) => {
  it('can always be stopped, but not moved once its fence numbers are used up, until there is space', async () => {
    const disk = mount(4 * 1024 * 1024);
    const service = await startTestService({ settings: { SERVICE_DATA_DIR: disk.folder } });
    const stop = () => service.as('USER', '/api/v2/stop', { method: 'POST' });
    const go = () =>
      service.as('USER', '/api/v2/commands/go_to_relative/', { method: 'POST', body: { value: { x: 1 } } });
    try {
      expect((await go()).status).toBe(200);
      disk.fill();
      for (let count = 0; count < STOPS; count += 1) expect((await stop()).status).toBe(200);
      expect(await go()).toMatchObject({ status: 507, json: { code: 'storage_full', command_ran: 'no' } });
      expect((await service.as('USER', '/api/v2/get/get_pose')).status).toBe(200);
      expect((await stop()).json).toMatchObject({ stopped: true });
      disk.free();
      await until(async () => (await go()).status === 200);
    } finally {
      await service.stop();
    }
  });
});
