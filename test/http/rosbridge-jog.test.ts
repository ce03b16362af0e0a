import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../functions/shared/kit/json.ts';
import { until } from '../support/processes.ts';
import { RosbridgeStandIn } from '../support/rosbridge-server.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

const MAPPING = `
ros: 2
stop: { service: [{ name: /halt, success: $answer.ok }] }
estop: { topic: /estop, type: std_msgs/msg/Bool }
jog: { topic: /cmd_vel, type: geometry_msgs/msg/Twist, watchdog_ms: 300, max_linear: 0.1 }
commands: {}
`;

let robot: RosbridgeStandIn;
let service: TestService;
let engaged = false;
let telling: NodeJS.Timeout;
beforeAll(async () => {
  robot = await RosbridgeStandIn.start();
  robot.services.set('/halt', () => ({ ok: true }));
  telling = setInterval(() => robot.publish('/estop', { data: engaged }), 50);
  const path = join(temporaryFolder(), 'rosbridge.yaml');
  writeFileSync(path, MAPPING);
  const settings = {
    SERVICE_MODE: 'robot',
    SERVICE_HOST: '127.0.0.1',
    SERVICE_ROBOT_URL: robot.url,
    SERVICE_ROBOT_MAPPING_PATH: path,
  };
  service = await startTestService({ settings });
});
afterAll(async () => {
  clearInterval(telling);
  await service.stop();
  await robot.close();
});

const post = (path: string, body?: unknown) => service.as('USER', path, { method: 'POST', body });
const estop = async () => (await service.as('USER', '/api/v2/estop/')).json;
const speeds = () =>
  robot.of('publish', '/cmd_vel').map(({ msg }) => (msg as { linear: JsonObject }).linear.x as number); // as: Twists

describe('A robot with ROS 2 that is driven by hand through the service', () => {
  it('obeys the holder of the lease within its own limits, and not while its emergency stop is engaged', async () => {
    await until(async () => (await estop()).state === 'released');
    expect(await estop()).toEqual({ state: 'released', source: '/estop' });
    const lease = await post('/api/v2/lease/', { instance: 'mK3xV0c9Q2yT5uR8wZ1aBg', ttl_ms: 60_000 });
    let seq = 0;
    let stamp: string | undefined;
    const jog = async (vx: number) => {
      seq += 1;
      const frame = { lease: lease.json.lease_id, vx, vy: 0, wz: 0, seq, deadline_ms: 1_000, ...(stamp && { stamp }) };
      const { status, json } = await post('/api/v2/jog/', frame);
      stamp = json.stamp;
      return [status, json.code];
    };
    expect(await jog(0)).toEqual([200, undefined]);
    expect(await jog(0.2)).toEqual([200, undefined]);
    await until(() => speeds().includes(0.1));
    engaged = true;
    await until(async () => (await estop()).state === 'engaged');
    expect(await jog(0.2)).toEqual([409, 'stopped']);
    await until(() => robot.of('call_service').some((call) => call.service === '/halt'));
    await until(() => speeds().at(-1) === 0);
    expect(await jog(0)).toEqual([200, undefined]);
    expect(await jog(0.2)).toEqual([409, 'estop_engaged']);
    engaged = false;
    await until(async () => (await estop()).state === 'released');
    // Releasing it starts nothing, and a stick that is still held has to be let go.
    expect(await jog(0.05)).toEqual([409, 'stopped']);
    expect(speeds().at(-1)).toBe(0);
    expect(await jog(0)).toEqual([200, undefined]);
    await until(async () => (await jog(0.05))[0] === 200);
    await until(() => speeds().includes(0.05));
  });
});
