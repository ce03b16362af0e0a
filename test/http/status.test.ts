import { statfsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../functions/shared/config.ts';
import { http } from '../support/http.ts';
import { startTestService } from '../support/service.ts';
import { describeOnDisks } from '../support/small-disk.ts';
import { testConfig } from '../support/world.ts';

describe('GET /status', () => {
  it('names build and robot, and tells disk and clock', async () => {
    const now = Date.parse('2027-03-01T12:00:00Z');
    const service = await startTestService({ settings: { SERVICE_ROBOT_NAME: 'Miro in the hall' }, clock: () => now });
    const { json } = await http(service.url, '/status');
    const disk = statfsSync(service.ports.config.SERVICE_DATA_DIR);
    await service.stop();
    expect(json).toMatchObject({
      build: 'dev',
      robot_id: 'robot-1',
      name: 'Miro in the hall',
      disk: { free_bytes: expect.any(Number), total_bytes: disk.blocks * disk.bsize, ok: expect.any(Boolean) },
      clock: { time: '2027-03-01T12:00:00.000Z', ok: true },
    });
    expect(json.disk.free_bytes).toBeLessThan(json.disk.total_bytes);
  });

  it('has the id as the name of a robot without one, and says that the clock is wrong', async () => {
    const service = await startTestService({ clock: () => 0 });
    const { json } = await http(service.url, '/status');
    await service.stop();
    expect(json).toMatchObject({ name: 'robot-1', clock: { time: '1970-01-01T00:00:00.000Z', ok: false } });
  });

  it('names the robot of a fleet that the path names, and not the disk of the host', async () => {
    const service = await startTestService({
      settings: { SERVICE_ROBOT_URL: 'mqtt://127.0.0.1:1', SERVICE_ROBOT_ID: 'hall', SERVICE_ROBOT_NAME: 'The hall' },
    });
    const [robot, same] = [
      await http(service.url, '/robot-7/rest/status'),
      await http(service.url, '/hall/rest/status'),
    ];
    await service.stop();
    expect(robot.json).toMatchObject({ robot_id: 'robot-7', name: 'robot-7' });
    expect(robot.json).not.toHaveProperty('disk');
    expect(same.json).toMatchObject({ robot_id: 'hall', name: 'The hall' });
  });

  it.each(['', 'two\nlines', 'x'.repeat(101)])('takes no name like %j', (name) => {
    if (name === '') expect(testConfig({ SERVICE_ROBOT_NAME: name }).SERVICE_ROBOT_NAME).toBe('robot-1');
    else expect(() => testConfig({ SERVICE_ROBOT_NAME: name })).toThrow(ConfigError);
  });
});

describeOnDisks('GET /status on a full disk', (mount) => {
  it('says so', async () => {
    const disk = mount(8 * 1024 * 1024);
    const service = await startTestService({ settings: { SERVICE_DATA_DIR: disk.folder } });
    const asked = async () => (await http(service.url, '/status')).json.disk;
    expect(await asked()).toMatchObject({ ok: true, total_bytes: 8 * 1024 * 1024 });
    disk.fill();
    expect(await asked()).toMatchObject({ ok: false, free_bytes: 0 });
    disk.free();
    await service.stop();
  });
});
