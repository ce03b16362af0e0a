import { afterEach, describe, expect, it } from '@jest/globals';
import { Connection } from '../../../../functions/shared/robot-link/adapters/rosbridge/connection.ts';
import { refusal } from '../../../support/errors.ts';
import { closeScenes, type Scene, scene } from '../../../support/rosbridge-link.ts';
import { RosbridgeStandIn } from '../../../support/rosbridge-server.ts';
import { silentLogger } from '../../../support/world.ts';

const MAPPING = `
ros: 2
stop:
  publish: [{ name: /cmd_vel, type: geometry_msgs/msg/Twist }]
  service: [{ name: /halt, success: $answer.ok }]
commands:
  light: { title: Light, kind: bool, publish: { name: /light, type: std_msgs/msg/Bool, message: { data: $value } } }
  blink: { title: Blink, kind: none, publish: { name: /light, type: std_msgs/msg/Bool, times: 3, every_ms: 10 } }
  scale: { title: Scale, kind: float, service: { name: /scale, args: { by: $value|percent } } }
  measure: { title: Measure, kind: none, service: { name: /measure }, result: $answer.width|percent }
  go_by:
    title: Go by
    kind: coordinates
    relative_to: { name: /odom, type: nav_msgs/msg/Odometry, pose: pose, max_age_ms: 5000, throttle_ms: 0 }
    action: { name: /nav, type: a/action/Go, goal: { x: $x } }
`;

afterEach(closeScenes);

describe('A message that the server drops', () => {
  it.each([
    ['by its id', (id: unknown) => ({ id, msg: 'publish: not allowed' })],
    ['by its topic', () => ({ msg: 'publish: /light has another type' })],
    ['when its topic was advertised', () => ({ id: 'advertise:/light', msg: 'no such type' })],
  ])('is robot_error when the server reports it %s', async (_how, words) => {
    const { standIn, send } = await scene(MAPPING);
    standIn.refusedTopics.set('/light', (id) => ({ op: 'status', level: 'error', ...(words(id) as object) }));
    await expect(send('light', true)).rejects.toMatchObject({
      code: 'robot_error',
      message: expect.stringMatching(/^The robot refuses: /),
    });
    await expect(send('blink')).rejects.toMatchObject({ code: 'robot_error' });
    expect(standIn.of('publish', '/light')).toHaveLength(4);
  });

  it('is no error for another message or a warning', async () => {
    const { standIn, send } = await scene(MAPPING);
    standIn.refusedTopics.set('/light', (id) => ({ op: 'status', level: 'warning', id, msg: 'slow' }));
    await expect(send('light', true)).resolves.toEqual({ sent: true });
    standIn.refusedTopics.set('/light', () => ({ op: 'status', level: 'error', id: 'another', msg: 'not allowed' }));
    await expect(send('light', true)).resolves.toEqual({ sent: true });
  });

  it('prevents a stop from being confirmed', async () => {
    const { standIn, stop } = await scene(MAPPING);
    standIn.refusedTopics.set('/cmd_vel', (id) => ({ op: 'status', level: 'error', id, msg: 'not allowed' }));
    await expect(stop()).rejects.toMatchObject({ code: 'robot_error', message: 'The robot refuses: not allowed.' });
  });
});

describe('A number that JSON cannot carry', () => {
  const pose = (x: string) =>
    `{"op":"publish","topic":"/odom","msg":{"header":{"frame_id":"odom"},"pose":{"position":{"x":${x},"y":0,"z":0},"orientation":{"x":0,"y":0,"z":0,"w":1}}}}`;

  async function goFrom(each: Scene, x: string, by: number) {
    const refused = refusal(() => each.send('go_by', { x: by, y: 0, z: 0, theta: 0 }));
    await each.standIn.until(() => each.standIn.of('subscribe', '/odom').length === 1);
    each.standIn.sendText(pose(x));
    const error = await refused;
    expect(each.standIn.goals).toEqual([]);
    return error;
  }

  it('is a validation error when the value is too large', async () => {
    expect(await goFrom(await scene(MAPPING), '1.7e308', 1.7e308)).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/value/x' }],
    });
  });

  it('is a robot error when the robot sends it', async () => {
    expect(await goFrom(await scene(MAPPING), '1e999', 1)).toMatchObject({ code: 'robot_error' });
  });

  it('does not come from a filter either, in both directions', async () => {
    const { standIn, send } = await scene(MAPPING);
    await expect(send('scale', 1.7e308)).rejects.toMatchObject({ code: 'validation_failed' });
    standIn.services.set('/measure', () => ({ width: 1.7e308 }));
    await expect(send('measure')).rejects.toMatchObject({ code: 'robot_error' });
    expect(standIn.of('call_service').map(({ service }) => service)).not.toContain('/scale');
  });
});

describe('The connection', () => {
  it('refuses what would be sent as null, and continues', async () => {
    const standIn = await RosbridgeStandIn.start();
    const connection = new Connection(standIn.url, silentLogger, {
      opened: () => undefined,
      received: () => undefined,
      lost: () => undefined,
    });
    try {
      await connection.attempted;
      for (const endless of [Number.POSITIVE_INFINITY, Number.NaN]) {
        const message = { op: 'publish', topic: '/a', msg: { x: [endless] } };
        expect((await refusal(() => connection.send(message))).code).toBe('validation_failed');
        expect((await refusal(() => connection.sendUrgently(message))).code).toBe('validation_failed');
      }
      connection.send({ op: 'publish', topic: '/a', msg: { x: null } });
      await standIn.until(() => standIn.of('publish').length === 1);
      expect(standIn.of('publish')).toMatchObject([{ msg: { x: null } }]);
    } finally {
      connection.close();
      await standIn.close();
    }
  });
});
