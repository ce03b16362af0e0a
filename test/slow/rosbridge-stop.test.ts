import { afterEach, describe, expect, it } from '@jest/globals';
import type { JsonValue } from '../../functions/shared/kit/json.ts';
import { type ReadinessParts, readinessChecks } from '../../local-host/readiness.ts';
import { refusal } from '../support/errors.ts';
import { closeScenes, type Scene, scene } from '../support/rosbridge-link.ts';

type Ros = 1 | 2;
const COMMANDS = (ros: Ros) => `
commands:
  go: { title: Go, kind: coordinates, action: { name: /nav, type: ${ros === 1 ? 'a/GoAction' : 'a/action/Go'}, goal: { x: $x } } }
  get_map: { title: Map, kind: none, effect: query, service: { name: /map } }
`;
const withService = (ros: Ros) => `ros: ${ros}
stop: { service: [{ name: /halt, success: $answer.ok }] }${COMMANDS(ros)}`;
const WINDOW_MS = 150;
const withStill = (ros: Ros) => `ros: ${ros}
stop:
  cancel: [/nav]
  still: { name: /odom, type: nav_msgs/${ros === 1 ? '' : 'msg/'}Odometry, zero: [v], tolerance: 0.01, throttle_ms: 0, window_ms: ${WINDOW_MS} }
${COMMANDS(ros)}`;
const unconfirmed = (ros: Ros) => `ros: ${ros}
stop: { publish: [{ name: /cmd_vel, type: geometry_msgs/${ros === 1 ? '' : 'msg/'}Twist }], service: [{ name: /halt }] }
${COMMANDS(ros)}`;
const HERE = { x: 1, y: 0, z: 0, theta: 0 };
const soon = (ms = 2_000) => ({ deadline: Date.now() + ms });

const timers: NodeJS.Timeout[] = [];
afterEach(async () => {
  for (const timer of timers.splice(0)) clearInterval(timer);
  await closeScenes();
});

/** The robot tells of its speed all the time. */
function tell({ standIn }: Scene, speed: () => JsonValue): void {
  timers.push(setInterval(() => standIn.publish('/odom', { v: speed() }), 10));
}

describe('A stop confirmed by a service', () => {
  it.each<[string, JsonValue]>([
    ['0', { ok: 0 }],
    ['null', { ok: null }],
    ['"true"', { ok: 'true' }],
    ['false', { ok: false }],
    ['1', { ok: 1 }],
    ['nothing', {}],
  ])('is not confirmed by %s', async (_what, answer) => {
    const { standIn, stop } = await scene(withService(1));
    standIn.services.set('/halt', () => answer);
    await expect(stop()).rejects.toMatchObject({ code: 'robot_error' });
  });

  it('is not confirmed by an answer from before the command connection was clear', async () => {
    const { standIn, stop } = await scene(withService(1));
    let calls = 0;
    standIn.services.set('/halt', () => {
      calls += 1;
      return { ok: calls === 1 };
    });
    await expect(stop()).rejects.toMatchObject({ code: 'robot_error' });
    expect(calls).toBe(2);
  });

  it('is repeated by the next stop when the service hangs', async () => {
    const each = await scene(withService(2));
    each.standIn.oneAtATime = true;
    each.standIn.services.set('/halt', () => new Promise<never>(() => {}));
    const hanging = refusal(() => each.stop(soon()));
    await each.standIn.until(() => each.standIn.of('call_service').some(({ service }) => service === '/halt'));
    await new Promise((resolve) => setTimeout(resolve, 600));
    each.standIn.services.set('/halt', () => ({ ok: true }));
    await expect(each.stop()).resolves.toMatchObject({ stopped: true });
    expect(await hanging.catch(() => 'confirmed too')).toBeDefined();
  });

  it('names what has not answered by the deadline', async () => {
    const { standIn, stop } = await scene(withService(2));
    standIn.services.set('/halt', () => new Promise<never>(() => {}));
    await expect(stop(soon(1_000))).rejects.toMatchObject({
      code: 'robot_timeout',
      message: expect.stringContaining('/halt has not answered'),
    });
  });
});

describe('A stop confirmed by standstill', () => {
  it.each<[string, () => JsonValue]>([
    [
      'moves now and then',
      (
        (beat) => () =>
          ++beat % 2 === 0 ? 0.2 : 0
      )(0),
    ],
    [
      'says what is no number now and then',
      (
        (beat) => () =>
          ++beat % 2 === 0 ? null : 0
      )(0),
    ],
  ])('is not confirmed while the robot %s', async (_how, speed) => {
    const each = await scene(withStill(1));
    tell(each, speed);
    await expect(each.stop(soon(1_500))).rejects.toMatchObject({
      code: 'robot_timeout',
      message: expect.stringContaining('/odom does not show that it stands'),
    });
  });

  it('is not confirmed by one message', async () => {
    const each = await scene(withStill(1));
    const stopping = refusal(() => each.stop(soon(1_500)));
    await each.standIn.until(() => each.standIn.of('publish', '/nav/cancel').length >= 2);
    setTimeout(() => each.standIn.publish('/odom', { v: 0 }), 400);
    expect((await stopping).code).toBe('robot_timeout');
  });

  it('takes a window of time', async () => {
    const each = await scene(withStill(1));
    const began = performance.now();
    tell(each, () => 0);
    await expect(each.stop()).resolves.toMatchObject({ stopped: true });
    expect(performance.now() - began).toBeGreaterThan(WINDOW_MS);
  });
});

describe('A stop on ROS 2', () => {
  it('does not silently abandon a goal its server is cancelling', async () => {
    const each = await scene(withStill(2));
    tell(each, () => 0);
    each.standIn.onGoal = () => {};
    each.standIn.onCancel = () => {};
    await each.send('go', HERE);
    await each.standIn.until(() => each.standIn.goals.length === 1);
    for (const _time of ['first', 'second']) {
      await expect(each.stop(soon(2_500))).rejects.toMatchObject({
        code: 'robot_timeout',
        message: expect.stringContaining('a goal of /nav is still under way'),
      });
    }
  });
});

describe.each([1, 2] as const)('A stop on ROS %d', (ros) => {
  it('is not confirmed while an action server ignores it, which is named', async () => {
    const each = await scene(withStill(ros));
    tell(each, () => 0);
    each.standIn.onCancel = () => {};
    await each.send('go', HERE);
    await each.standIn.until(() => each.standIn.goals.length === 1);
    await expect(each.stop(soon(3_000))).rejects.toMatchObject({
      code: 'robot_timeout',
      message: expect.stringContaining('a goal of /nav is still under way'),
    });
    const again = refusal(() => each.stop(soon(3_000)));
    expect((await again).code).toBe('robot_timeout');
  });

  it('without confirmation refuses motion, answers queries and still stops', async () => {
    const { link, standIn, send, stop } = await scene(unconfirmed(ros));
    standIn.services.set('/map', () => 'map');
    await expect(send('get_map')).resolves.toBe('map');
    await expect(send('go', HERE)).rejects.toMatchObject({
      code: 'robot_unavailable',
      message: expect.stringContaining('SERVICE_ROBOT_MAPPING_PATH: line 2, stop'),
    });
    await expect(stop()).rejects.toMatchObject({
      code: 'robot_error',
      message: expect.stringContaining('line 2, stop'),
    });
    expect(standIn.of('publish', '/cmd_vel')).toHaveLength(2);
    expect(standIn.of('call_service').filter(({ service }) => service === '/halt')).toHaveLength(2);
    const parts = { robotLink: async () => link } as unknown as ReadinessParts; // as: one part is asked
    const robot = readinessChecks(parts).find(({ part }) => part === 'robot');
    expect(await robot?.problem()).toContain('line 2, stop');
  });
});
