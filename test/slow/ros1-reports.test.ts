import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import type { Events } from '../../functions/shared/events/events.port.ts';
import { until } from '../support/processes.ts';
import { exampleMapping, Ros1Bed } from '../support/ros1.ts';
import { describeWithRos1 } from '../support/ros1-components.ts';
import { clientOf, closeScenes, openLink } from '../support/rosbridge-link.ts';

const WITH_ESTOP = `${exampleMapping('turtlebot')}
estop: { topic: /emergency_stop, type: std_msgs/Bool }
`;
const AHEAD = { x: 50, y: 0, z: 0, theta: 0 };

describeWithRos1('A robot with ROS 1 that tells of itself', () => {
  let bed: Ros1Bed;
  beforeAll(async () => {
    bed = await Ros1Bed.start();
  });
  afterEach(closeScenes);
  afterAll(() => bed?.close());

  async function robotOf(mapping: string, events?: Events) {
    const robot = clientOf(await openLink(mapping, bed.url, events ? { events } : {}));
    await until('the link', () => robot.link.connected());
    return robot;
  }

  /** Calls a service of the robot past our product. */
  function press(engaged: boolean): void {
    const socket = new WebSocket(bed.url);
    const call = { op: 'call_service', service: '/press_emergency_stop', args: { data: engaged } };
    socket.once('open', () => socket.send(JSON.stringify(call)));
    socket.once('message', () => socket.close());
  }

  it('tells pose, velocity, battery and joints while it drives, and missions as they start and end', async () => {
    const told: unknown[] = [];
    const robot = await robotOf(exampleMapping('turtlebot'), {
      publish: (topic, verb, data) => told.push([topic, verb, data]),
    });
    const { link } = robot;
    await until('the first reports', () => link.joints?.()?.names.length === 3 && link.state?.()?.battery);
    expect(link.state?.()).toMatchObject({ moving: false, battery: { level: expect.closeTo(87), charging: false } });
    await robot.send('go_to_absolute', AHEAD);
    await until('a report of the motion', () => link.state?.()?.moving);
    await until('the wheels to turn', () => (link.joints?.()?.positions[0] ?? 0) > 1);
    expect(link.state?.()).toMatchObject({ pose: { z: 0, theta: expect.closeTo(0) } });
    expect(link.state?.()?.velocity?.linear).toBeGreaterThan(0);
    expect([...(link.joints?.()?.names ?? [])].sort()).toEqual(['head_pan', 'left_wheel_joint', 'right_wheel_joint']);
    await robot.stop();
    await until('standstill to be told', () => link.state?.()?.moving === false);
    expect(told).toMatchObject([
      ['missions', 'started', { skills: ['go_to_absolute'], client: 'alice' }],
      ['missions', 'cancelled', { skills: ['go_to_absolute'], message: 'Mission cancelled' }],
    ]);
  });

  it('reports its emergency stop, and nothing once its base has died', async () => {
    const { link } = await robotOf(WITH_ESTOP);
    const stop = link.emergencyStop?.();
    for (const [engaged, state] of [
      [false, 'released'],
      [true, 'engaged'],
      [false, 'released'],
    ] as const) {
      press(engaged);
      await until(`the emergency stop to be ${state}`, () => stop?.state === state);
    }
    await until('the state', () => link.state?.());
    await bed.kill('base');
    await until('silence to be noticed', () => stop?.state === 'unknown' && link.state?.()?.pose === undefined);
    expect(link.connected()).toBe(true);
    await bed.restart('base');
    await until('the base to be back', () => stop?.state === 'released' && link.state?.()?.pose !== undefined);
  });
});
