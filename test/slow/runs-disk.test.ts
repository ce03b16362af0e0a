import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { RunService } from '../support/run-service.ts';
import { describeOnDisks } from '../support/small-disk.ts';

const MIB = 1024 * 1024;

describeOnDisks('Runs on a full disk', (mount) => {
  it('end with what they returned, and no further one is started', async () => {
    const disk = mount(64 * MIB);
    const data = join(disk.folder, 'data');
    mkdirSync(data);
    const runs = await RunService.start({ SERVICE_DATA_DIR: data, SERVICE_MIN_FREE: '0' });
    runs.writeBody('wait', 'print("waiting", flush=True)\nawait robot.sleep(2)\nreturn "done"');
    const { id } = await runs.run('wait');
    await runs.printed(id, 'waiting');
    disk.fill();
    expect(await runs.ended(id)).toMatchObject({ state: 'succeeded', result: 'done' });
    const { status, json } = await runs.post('/api/v2/runs/', { skill: 'wait' });
    expect([status, json.code]).toEqual([507, 'storage_full']);
    expect((await runs.service.as('USER', '/api/v2/stop', { method: 'POST' })).json.stopped).toBe(true);
    disk.free();
    expect((await runs.complete('wait')).state).toBe('succeeded');
    await runs.stop();
  });
});
