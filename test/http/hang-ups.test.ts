import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';

const CLIENTS = 200;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

function openResources(): number {
  return process.getActiveResourcesInfo().filter((kind) => /TCP|Timeout|Immediate/.test(kind)).length;
}

describe('200 clients that wait for a mission', () => {
  it('do not delay a stop, and leave nothing behind when half of them hang up', async () => {
    const before = openResources();
    const start = { method: 'POST', body: { command: 'skill', value: { name: 'wait', seconds: 600 } } };
    const mission = (await service.as('USER', '/api/v1/dict/', start)).json.result.msg as string;
    const clients = Array.from({ length: CLIENTS }, () => new AbortController());
    const wait = { method: 'POST', body: { command: 'wait_for_skill', value: mission } };
    const waiting = clients.map(({ signal }) =>
      service.as('USER', '/api/v1/str/', { ...wait, signal }).then(
        ({ json }) => json.result.awaited as boolean,
        () => 'hung up',
      ),
    );
    await until(() => service.inFlight.size === CLIENTS);

    for (const client of clients.slice(0, CLIENTS / 2)) client.abort();
    await until(() => service.inFlight.size === CLIENTS / 2);
    expect((await service.as('USER', '/api/v2/stop', { method: 'POST' })).status).toBe(200);

    const outcomes = await Promise.all(waiting);
    expect(outcomes.filter((outcome) => outcome === 'hung up')).toHaveLength(CLIENTS / 2);
    expect(outcomes.filter((outcome) => outcome === false)).toHaveLength(CLIENTS / 2);
    await until(() => service.inFlight.size === 0 && openResources() <= before);
    expect(openResources()).toBeLessThanOrEqual(before);
  });
});
