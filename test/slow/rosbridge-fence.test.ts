import { afterEach, describe, expect, it } from '@jest/globals';
import { refusal } from '../support/errors.ts';
import { HoldingProxy } from '../support/holding-proxy.ts';
import { until } from '../support/processes.ts';
import { closeScenes, scene } from '../support/rosbridge-link.ts';
import { RosbridgeStandIn } from '../support/rosbridge-server.ts';

const mapping = (ros: 1 | 2) => {
  const [msg, action] = ros === 1 ? ['', 'a/GoAction'] : ['msg/', 'a/action/Go'];
  return `
ros: ${ros}
stop:
  publish: [{ name: /cmd_vel, type: geometry_msgs/${msg}Twist }]
  service: [{ name: /halt, success: $answer.ok }]
commands:
  go: { title: Go, kind: coordinates, action: { name: /nav, type: ${action}, goal: { x: $x } } }
  go_by:
    title: Go by
    kind: coordinates
    relative_to: { name: /odom, type: nav_msgs/${msg}Odometry, pose: pose, max_age_ms: 5000, throttle_ms: 0 }
    action: { name: /nav, type: ${action}, goal: { x: $x } }
  drive: { title: Drive, kind: none, publish: { name: /drive, type: a/${msg}Speed, times: 20, every_ms: 30 } }
  blink: { title: Blink, kind: none, motion: false, publish: { name: /led, type: a/${msg}Led, times: 10, every_ms: 30 } }
  nudge: { title: Nudge, kind: none, service: { name: /nudge } }
  get_map: { title: Map, kind: none, effect: query, service: { name: /map } }
`;
};
const HERE = { x: 1, y: 0, z: 0, theta: 0 };
const ODOMETRY = {
  header: { frame_id: 'odom' },
  pose: { position: { x: 0, y: 0, z: 0 }, orientation: { x: 0, y: 0, z: 0, w: 1 } },
};
const NOT_SENT = { code: 'stopped', members: { command_ran: 'no' } };

afterEach(closeScenes);

describe('What arrived before a stop', () => {
  it('does not begin when the stop frees its place in the queue', async () => {
    const { standIn, send, stop } = await scene(mapping(2));
    standIn.oneAtATime = true;
    standIn.services.set('/nudge', () => null);
    standIn.services.set('/map', () => 'map');
    await send('go', HERE);
    await standIn.until(() => standIn.goals.length === 1);
    const waiting = ['go', 'nudge', 'drive'].map((name) => refusal(() => send(name, name === 'go' ? HERE : undefined)));
    const question = send('get_map');
    await expect(stop()).resolves.toMatchObject({ stopped: true, cancelled_missions: 1 });
    for (const refused of await Promise.all(waiting)) expect(refused).toMatchObject(NOT_SENT);
    await expect(question).resolves.toBe('map');
    expect(standIn.goals).toHaveLength(1);
    expect(standIn.of('call_service').map(({ service }) => service)).not.toContain('/nudge');
    expect(standIn.of('publish', '/drive')).toEqual([]);
    await expect(send('nudge')).resolves.toBeNull();
  });

  it.each([1, 2] as const)("does not begin after waiting for the robot's pose (ROS %d)", async (ros) => {
    const { standIn, send, stop } = await scene(mapping(ros));
    const waiting = refusal(() => send('go_by', HERE));
    await standIn.until(() => standIn.of('subscribe', '/odom').length === 1);
    await expect(stop()).resolves.toMatchObject({ stopped: true });
    standIn.publish('/odom', ODOMETRY);
    expect(await waiting).toMatchObject(NOT_SENT);
    expect(standIn.goals).toEqual([]);
    await expect(send('go_by', HERE)).resolves.toMatchObject({ called: true });
  });

  it('is not repeated and reports that it may have run, while non-motion continues', async () => {
    const { standIn, send, stop } = await scene(mapping(1));
    const [driving, blinking] = [refusal(() => send('drive')), send('blink')];
    await standIn.until(() => standIn.of('publish', '/drive').length === 3);
    await expect(stop()).resolves.toMatchObject({ stopped: true });
    const before = standIn.of('publish', '/drive').length;
    expect(await driving).toMatchObject({ code: 'stopped', members: { command_ran: 'maybe' } });
    await expect(blinking).resolves.toEqual({ sent: true });
    expect(standIn.of('publish', '/led')).toHaveLength(10);
    expect(standIn.of('publish', '/drive')).toHaveLength(before);
  });

  it('is finished before a stop checks for standstill on a threaded server', async () => {
    const { standIn, send, stop } = await scene(mapping(1));
    const order: string[] = [];
    standIn.services.set('/nudge', async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      order.push('nudge');
      return null;
    });
    standIn.services.set('/halt', () => {
      order.push('halt');
      return { ok: true };
    });
    const nudging = send('nudge');
    await expect(stop()).resolves.toMatchObject({ stopped: true });
    await nudging;
    expect(order).toEqual(['halt', 'nudge', 'halt']);
  });

  it.each([1, 2] as const)('never reaches the robot late after being held back (ROS %d)', async (ros) => {
    const standIn = await RosbridgeStandIn.start();
    const proxy = await HoldingProxy.start(standIn.port);
    try {
      const { link, send, stop } = await scene(mapping(ros), standIn, proxy.url);
      await standIn.until(() => standIn.of('subscribe', '/odom').length === 1);
      proxy.holdBack(3_000);
      const nudged: number[] = [];
      standIn.services.set('/nudge', () => {
        nudged.push(Date.now());
        return null;
      });
      const [nudging, going] = [refusal(() => send('nudge')), refusal(() => send('go', HERE))];
      const began = Date.now();
      await expect(stop()).resolves.toMatchObject({ stopped: true });
      expect((await nudging).code).toBe('robot_unavailable');
      // Nobody had answered yet that there is an action server.
      expect((await going).code).toBe('stopped');
      await until(() => Date.now() > began + 3_500);
      expect([standIn.goals, nudged]).toEqual([[], []]);
      await until(() => link.connected());
      await expect(send('go', HERE)).resolves.toMatchObject({ called: true });
    } finally {
      await proxy.close();
    }
  });
});

describe('The command connection', () => {
  it('is the only one reset by a stop', async () => {
    const standIn = await RosbridgeStandIn.start();
    const proxy = await HoldingProxy.start(standIn.port);
    try {
      const { send, stop } = await scene(mapping(1), standIn, proxy.url);
      await send('go', HERE);
      await standIn.until(() => standIn.goals.length === 1);
      proxy.holdBack(10_000);
      standIn.onCancel = (goal) => void setTimeout(() => goal.end('cancelled'), 800);
      await expect(stop()).resolves.toEqual({ stopped: true, cancelled_missions: 1 });
      expect(proxy.firstIsGone).toBe(true);
      expect(standIn.of('subscribe', '/nav/result')).toHaveLength(1);
      expect(standIn.of('publish', '/cmd_vel')).toHaveLength(2);
    } finally {
      await proxy.close();
    }
  });

  it('is kept when the server is only busy with a running goal', async () => {
    const { link, standIn, send, stop } = await scene(mapping(2));
    standIn.oneAtATime = true;
    standIn.onCancel = (goal) => void setTimeout(() => goal.end('cancelled'), 1_200);
    await send('go', HERE);
    await standIn.until(() => standIn.goals.length === 1);
    await expect(stop()).resolves.toEqual({ stopped: true, cancelled_missions: 1 });
    expect(link.connected()).toBe(true);
    expect(standIn.of('subscribe', '/odom')).toHaveLength(1);
  });
});
