import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { start } from '../../../functions/shared/kit/child-process/start.ts';
import { until } from '../../support/processes.ts';
import { RosbridgeStandIn } from '../../support/rosbridge-server.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/world.ts';

let service: TestService;
afterEach(() => service.stop());

/** What `/metrics` says of one budget. */
async function exceeded(budget: string): Promise<number> {
  const { text } = await service.as(undefined, '/metrics');
  return Number(new RegExp(`^budget_exceeded_total\\{budget="${budget}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

describe('budget_exceeded_total in /metrics', () => {
  it('counts bodies that are too deep or have too many members', async () => {
    service = await startTestService();
    for (const value of [JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`), Array(10_001).fill(0)]) {
      const { status } = await service.as('USER', '/api/v1/list/', { method: 'POST', body: { command: 'x', value } });
      expect(status).toBe(422);
    }
    expect(await exceeded('members')).toBe(2);
  });

  it('counts programs that exceeded their time limit', async () => {
    service = await startTestService();
    const options = { environment: { PATH: '/usr/bin:/bin' }, signal: new AbortController().signal, timeLimit: 50 };
    await expect(start(['sleep', '60'], options).exit).rejects.toMatchObject({ kind: 'time-limit' });
    expect(await exceeded('processes')).toBe(1);
  });

  it('counts and ignores bridge messages that are too deep or have too many members', async () => {
    const bridge = await RosbridgeStandIn.start();
    const mapping = join(temporaryFolder(), 'rosbridge.yaml');
    writeFileSync(mapping, 'ros: 2\nstop: { service: [{ name: /halt, success: $answer.ok }] }\ncommands: {}\n');
    service = await startTestService({
      settings: { SERVICE_ROBOT_URL: bridge.url, SERVICE_ROBOT_MAPPING_PATH: mapping },
    });
    bridge.sendText('['.repeat(1_000_000));
    bridge.sendText(`{"op":"publish","topic":"/odom","msg":[${'0,'.repeat(200_000)}0]}`);
    await until('all were refused', async () => (await exceeded('bridge_messages')) === 6); // over three connections
    bridge.services.set('/halt', () => ({ ok: true }));
    expect((await service.as('USER', '/api/v2/stop', { method: 'POST' })).status).toBe(200);
    await bridge.close();
  });

  it('counts requests for robots of a fleet without a token', async () => {
    service = await startTestService({ settings: { SERVICE_ROBOT_URL: 'mqtt://127.0.0.1:1' } });
    for (let count = 0; count < 5; count += 1) await service.as(undefined, `/q${count}/rest/status`);
    expect(await exceeded('visitors')).toBe(5);
  });
});
