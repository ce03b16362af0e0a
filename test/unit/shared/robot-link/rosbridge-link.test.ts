import { afterEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../../../functions/shared/logger.ts';
import { refusal } from '../../../support/errors.ts';
import { until } from '../../../support/robot-link-contract.ts';
import { closeScenes, openLink, scene } from '../../../support/rosbridge-link.ts';
import { RosbridgeStandIn } from '../../../support/rosbridge-server.ts';

const MAPPING = `
ros: 2
stop:
  publish: [{ name: /cmd_vel, type: geometry_msgs/msg/Twist, message: { linear: { x: 0 } }, times: 3, every_ms: 10 }]
  service: [{ name: /halt, success: $answer.ok }]
commands:
  add: { title: Add, kind: dict, service: { name: /add, type: a/srv/Add, args: { a: $value.a|number, b: 2 } }, result: $answer.sum }
  raw: { title: Raw, kind: none, service: { name: /raw } }
  power:
    title: Power
    kind: bool
    service: { name: /power, args: { data: $value }, success: $answer.success, message: $answer.message }
    result: { power: $value }
  light: { title: Light, kind: bool, publish: { name: /light, type: std_msgs/msg/Bool, message: { data: $value } } }
  blink: { title: Blink, kind: none, publish: { name: /blink, type: std_msgs/msg/Empty, times: 100, every_ms: 20 } }
  get_pose:
    title: Pose
    kind: none
    topic: { name: /odom, type: nav_msgs/msg/Odometry, max_age_ms: 200, throttle_ms: 50 }
    result: { x: $answer.pose.position.x, theta: $answer.pose.orientation|yaw }
`;
const ODOMETRY = {
  pose: { position: { x: 1.5, y: 0, z: 0 }, orientation: { x: 0, y: 0, z: Math.SQRT1_2, w: Math.SQRT1_2 } },
};
const never = () => new Promise<never>(() => {});

afterEach(closeScenes);

describe('Services through rosbridge', () => {
  it('arguments and the answer are made by the templates', async () => {
    const { standIn, send } = await scene(MAPPING);
    standIn.services.set('/add', () => ({ sum: 42 }));
    await expect(send('add', { a: 40 })).resolves.toBe(42);
    expect(standIn.of('call_service')).toEqual([
      { op: 'call_service', id: expect.any(String), service: '/add', type: 'a/srv/Add', args: { a: 40, b: 2 } },
    ]);
  });

  it('an answer without a template comes as it is', async () => {
    const { standIn, send } = await scene(MAPPING);
    standIn.services.set('/raw', () => ({ deep: [1, null] }));
    await expect(send('raw')).resolves.toEqual({ deep: [1, null] });
  });

  it('each answer finds its own caller, in whatever order they come', async () => {
    const { standIn, send } = await scene(MAPPING);
    const held: Array<() => void> = [];
    standIn.services.set('/add', (args) => new Promise((resolve) => held.push(() => resolve({ sum: args }))));
    const answers = [1, 2, 3].map((a) => send('add', { a }));
    await standIn.until(() => held.length === 3);
    for (const go of held.reverse()) go();
    await expect(Promise.all(answers)).resolves.toEqual([1, 2, 3].map((a) => ({ a, b: 2 })));
    expect(new Set(standIn.of('call_service').map(({ id }) => id)).size).toBe(3);
  });

  it('a value the templates cannot use is the fault of the caller and reaches no robot', async () => {
    const { standIn, send } = await scene(MAPPING);
    const error = await refusal(() => send('add', { a: 'one' }));
    expect([error.code, error.errors]).toEqual([
      'validation_failed',
      [{ pointer: '/value/a', message: expect.any(String) }],
    ]);
    expect(standIn.of('call_service')).toEqual([]);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('motor is hot')), /\/power failed: motor is hot/],
    ['says that it did not succeed', () => ({ success: false, message: 'no power' }), /did not succeed: no power/],
    ['answers in another form', () => ({ ok: 1 }), /does not fit the mapping at "success"/],
  ])('a service that %s is robot_error', async (_how, serve, detail) => {
    const { standIn, send } = await scene(MAPPING);
    standIn.services.set('/power', serve);
    const error = await refusal(() => send('power', true));
    expect([error.code, error.message]).toEqual(['robot_error', expect.stringMatching(detail)]);
  });

  it('a service that is not there is robot_error', async () => {
    const { send } = await scene(MAPPING);
    await expect(send('raw')).rejects.toMatchObject({
      code: 'robot_error',
      message: expect.stringContaining('does not exist'),
    });
  });

  it('a caller who leaves is let go at once', async () => {
    const { standIn, send } = await scene(MAPPING);
    standIn.services.set('/raw', never);
    const leaving = new AbortController();
    const answer = send('raw', undefined, leaving.signal);
    await standIn.until(() => standIn.of('call_service').length === 1);
    leaving.abort(new Error('gone'));
    await expect(answer).rejects.toThrow('gone');
  });

  it('what is too late is not begun', async () => {
    const { link, standIn } = await scene(MAPPING);
    const sender = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
    const late = { deadline: Date.now() - 1, signal: new AbortController().signal };
    const error = await refusal(() => link.send({ command: 'light', value: true, sender }, late));
    expect(error.code).toBe('robot_timeout');
    expect(standIn.of('publish')).toEqual([]);
  });
});

describe('Topics through rosbridge', () => {
  it('a message is published to a topic that was advertised before', async () => {
    const { standIn, send } = await scene(MAPPING);
    await expect(send('light', true)).resolves.toEqual({ sent: true });
    expect(standIn.of('publish')).toEqual([
      { op: 'publish', id: expect.any(String), topic: '/light', msg: { data: true } },
    ]);
    expect(standIn.of('advertise', '/light')).toMatchObject([{ type: 'std_msgs/msg/Bool' }]);
  });

  it('the latest message answers', async () => {
    const { standIn, send } = await scene(MAPPING);
    const first = send('get_pose');
    await standIn.until(() => standIn.of('subscribe', '/odom').length === 1);
    standIn.publish('/odom', ODOMETRY);
    await expect(first).resolves.toEqual({ x: 1.5, theta: expect.closeTo(90, 9) });
    await expect(send('get_pose')).resolves.toEqual({ x: 1.5, theta: expect.closeTo(90, 9) });
  });

  it('a topic that has fallen silent is robot_timeout, not an old answer', async () => {
    const { standIn, send } = await scene(MAPPING);
    const first = send('get_pose');
    await standIn.until(() => standIn.of('subscribe', '/odom').length === 1);
    standIn.publish('/odom', ODOMETRY);
    await first;
    await new Promise((resolve) => setTimeout(resolve, 250));
    const error = await refusal(() => send('get_pose'));
    expect([error.code, error.message]).toEqual([
      'robot_timeout',
      'The robot has published nothing on /odom for 0.2 s.',
    ]);
  });
});

describe('A rosbridge link that breaks', () => {
  it('is robot_unavailable at once when nobody is there', async () => {
    const gone = await RosbridgeStandIn.start();
    await gone.close();
    const link = await openLink(MAPPING, gone.url);
    expect(link.connected()).toBe(false);
    const options = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
    const sender = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
    await expect(link.send({ command: 'raw', sender }, options)).rejects.toMatchObject({ code: 'robot_unavailable' });
    await expect(link.stop(options)).rejects.toMatchObject({ code: 'robot_unavailable' });
  });

  it('sends those who wait away and says that the command may have run', async () => {
    const { link, standIn, send } = await scene(MAPPING);
    standIn.services.set('/raw', never);
    const answers = [refusal(() => send('raw')), refusal(() => send('get_pose'))];
    await standIn.until(() => standIn.of('call_service').length === 1);
    standIn.cut();
    for (const error of await Promise.all(answers)) {
      expect([error.code, error.message]).toEqual([
        'robot_unavailable',
        expect.stringContaining('may have been carried out'),
      ]);
    }
    expect(link.connected()).toBe(false);
  });

  it('notices a robot that says nothing any more', async () => {
    const { link, standIn, send } = await scene(MAPPING);
    standIn.services.set('/raw', never);
    const waiting = refusal(() => send('raw'));
    await standIn.until(() => standIn.of('call_service').length === 1);
    standIn.freeze();
    expect((await waiting).code).toBe('robot_unavailable');
    expect(link.connected()).toBe(false);
  }, 30_000);

  it('shows the password of its address to the robot alone', async () => {
    const standIn = await RosbridgeStandIn.start();
    const said: string[] = [];
    const logger = createLogger('debug', { write: (line) => void said.push(line) });
    const url = standIn.url.replace('//', '//robin:s3cret@');
    const link = await openLink(MAPPING, url, logger);
    expect(standIn.authorization).toBe(`Basic ${Buffer.from('robin:s3cret').toString('base64')}`);
    await standIn.close();
    await until(() => !link.connected());
    await until(() => said.some((line) => line.includes('failed')));
    expect(said.join('')).not.toContain('s3cret');
  });

  it('comes back by itself, advertises and subscribes anew, and delivers nothing late', async () => {
    const { link, standIn, send } = await scene(MAPPING);
    const { port } = standIn;
    await standIn.close();
    await until(() => !link.connected());
    await refusal(() => send('light', true));
    const revived = await RosbridgeStandIn.start(port);
    try {
      await until(() => link.connected());
      await revived.until(() => revived.of('subscribe', '/odom').length === 1);
      revived.services.set('/raw', () => 'back');
      await expect(send('raw')).resolves.toBe('back');
      expect(revived.of('advertise', '/light')).toHaveLength(1);
      expect(revived.of('publish')).toEqual([]);
    } finally {
      await revived.close();
    }
  });

  it.each([
    ['no JSON', '{"op": "publish", '],
    ['no object', '[1, 2]'],
    ['no operation', '{"topic": "/odom"}'],
    ['an answer nobody asked for', '{"op": "service_response", "id": "1", "values": {}, "result": true}'],
    ['a topic nobody listens to', '{"op": "publish", "topic": "__proto__", "msg": 1}'],
    ['a result of no goal', '{"op": "action_result", "id": {"a": 1}, "status": "x"}'],
    ['no end of brackets', `{"op": "publish", "topic": "/odom", "msg": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['a status', '{"op": "status", "level": "error", "msg": "publish: no such topic"}'],
  ])('is not disturbed by a message with %s', async (_what, text) => {
    const { standIn, send } = await scene(MAPPING);
    standIn.services.set('/raw', () => 1);
    standIn.sendText(text);
    await expect(send('raw')).resolves.toBe(1);
  });

  it('does not take a message that is too large', async () => {
    const { link, standIn } = await scene(MAPPING);
    standIn.publish('/odom', 'x'.repeat(5 * 1024 * 1024));
    await until(() => !link.connected());
    await until(() => link.connected());
  });
});

describe('Stop through rosbridge, without actions', () => {
  it('publishes at least as often as the mapping says, and drops what is being repeated', async () => {
    const { standIn, send, stop } = await scene(MAPPING);
    const blinking = refusal(() => send('blink'));
    await standIn.until(() => standIn.of('publish', '/blink').length >= 2);
    await expect(stop()).resolves.toEqual({ stopped: true });
    expect(await blinking).toMatchObject({ code: 'stopped', members: { command_ran: 'maybe' } });
    expect(standIn.of('publish', '/cmd_vel').length).toBeGreaterThanOrEqual(3);
    const before = standIn.of('publish', '/blink').length;
    await expect(stop()).resolves.toEqual({ stopped: true });
    expect(standIn.of('publish', '/blink')).toHaveLength(before);
  });

  it('goes out though the most commands possible wait already', async () => {
    const { standIn, send, stop } = await scene(MAPPING);
    standIn.services.set('/raw', never);
    const waiting = Array.from({ length: 1000 }, () => send('raw').catch(() => undefined));
    const error = await refusal(() => send('raw'));
    expect([error.code, error.message]).toEqual(['robot_unavailable', expect.stringContaining('Too many')]);
    await expect(stop()).resolves.toEqual({ stopped: true });
    expect(standIn.of('publish', '/cmd_vel').length).toBeGreaterThanOrEqual(3);
    standIn.cut();
    await Promise.all(waiting);
  });
});
