import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { JogClient } from '../support/jog-client.ts';
import { until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** At 0.2 m/s the robot would go 0.6 m in that time; it is allowed half a second, and what its brakes need. */
const BLOCKED_MS = 3_000;
const MAX_METRES = 0.3;

let aheadMs = 0;
let service: TestService;
let client: JogClient;
beforeAll(async () => {
  service = await startTestService({ clock: () => Date.now() + aheadMs });
});
afterEach(async () => {
  await client.kill();
  aheadMs = 0;
});
afterAll(() => service.stop());

const pose = async () => (await service.as('USER', '/api/v2/get/get_pose')).json.result;

async function drive(): Promise<void> {
  const body = { instance: randomBytes(16).toString('base64url'), reason: 'a test', ttl_ms: 60_000 };
  const { lease_id } = (await service.as('ADMIN', '/api/v2/lease/take', { method: 'POST', body })).json;
  await service.as('ADMIN', `/api/v2/lease/${lease_id}`, { method: 'DELETE' });
  const lease = (
    await service.as('USER', '/api/v2/lease/', { method: 'POST', body: { instance: body.instance, ttl_ms: 60_000 } })
  ).json.lease_id;
  client = await JogClient.start(service.url, await service.token('USER'), lease);
}

describe('A robot under a held stick', () => {
  it('stands still while the service is busy with something else, and what lay in its socket moves nothing', async () => {
    await drive();
    const { x } = await pose();
    const end = Date.now() + BLOCKED_MS;
    while (Date.now() < end);
    client.freeze();
    const after = await pose();
    expect(after.x - x).toBeLessThan(MAX_METRES);
    await until('the robot stands still', async () => !(await pose()).moving);
    expect((await pose()).x - x).toBeLessThan(MAX_METRES);
  });

  it.each([
    ['an hour ahead', 3_600_000],
    ['an hour back', -3_600_000],
  ])('stands still when the clock is set %s, since the token no longer counts', async (_what, ms) => {
    await drive();
    aheadMs = ms;
    await until('the client is told', () => client.said.at(-1) === 'closed 4401');
    aheadMs = 0;
    await until('the robot stands still', async () => !(await pose()).moving);
  });

  it.each([
    ['ahead', 20_000],
    ['back', -4_000],
  ])('is driven on when the clock is set a little %s: times count on another one', async (_what, ms) => {
    await drive();
    const { x } = await pose();
    aheadMs = ms;
    await until('it is driven on', async () => (await pose()).x > x + 0.1);
    expect(client.said.filter((what) => what !== 'driving')).toEqual([]);
  });
});
