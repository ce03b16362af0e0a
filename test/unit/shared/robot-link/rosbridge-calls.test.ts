import { afterEach, describe, expect, it } from '@jest/globals';
import { refusal } from '../../../support/errors.ts';
import { MAPPING, never } from '../../../support/rosbridge-commands.ts';
import { closeScenes, scene } from '../../../support/rosbridge-link.ts';

const ODOMETRY = {
  pose: { position: { x: 1.5, y: 0, z: 0 }, orientation: { x: 0, y: 0, z: Math.SQRT1_2, w: Math.SQRT1_2 } },
};

afterEach(closeScenes);

describe('Services through rosbridge', () => {
  it('take arguments and answers from the templates', async () => {
    const { standIn, send } = await scene(MAPPING);
    standIn.services.set('/add', () => ({ sum: 42 }));
    await expect(send('add', { a: 40 })).resolves.toBe(42);
    expect(standIn.of('call_service')).toEqual([
      { op: 'call_service', id: expect.any(String), service: '/add', type: 'a/srv/Add', args: { a: 40, b: 2 } },
    ]);
  });

  it('pass an answer without a template through', async () => {
    const { standIn, send } = await scene(MAPPING);
    standIn.services.set('/raw', () => ({ deep: [1, null] }));
    await expect(send('raw')).resolves.toEqual({ deep: [1, null] });
  });

  it('match answers to callers in any order', async () => {
    const { standIn, send } = await scene(MAPPING);
    const held: Array<() => void> = [];
    standIn.services.set('/add', (args) => new Promise((resolve) => held.push(() => resolve({ sum: args }))));
    const answers = [1, 2, 3].map((a) => send('add', { a }));
    await standIn.until(() => held.length === 3);
    for (const go of held.reverse()) go();
    await expect(Promise.all(answers)).resolves.toEqual([1, 2, 3].map((a) => ({ a, b: 2 })));
    expect(new Set(standIn.of('call_service').map(({ id }) => id)).size).toBe(3);
  });

  it('reject a value the templates cannot use without contacting the robot', async () => {
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
  ])('fail with robot_error when a service %s', async (_how, serve, detail) => {
    const { standIn, send } = await scene(MAPPING);
    standIn.services.set('/power', serve);
    const error = await refusal(() => send('power', true));
    expect([error.code, error.message]).toEqual(['robot_error', expect.stringMatching(detail)]);
  });

  it('fail with robot_error when the service does not exist', async () => {
    const { send } = await scene(MAPPING);
    await expect(send('raw')).rejects.toMatchObject({
      code: 'robot_error',
      message: expect.stringContaining('does not exist'),
    });
  });

  it('release a caller who leaves at once', async () => {
    const { standIn, send } = await scene(MAPPING);
    standIn.services.set('/raw', never);
    const leaving = new AbortController();
    const answer = send('raw', undefined, leaving.signal);
    await standIn.until(() => standIn.of('call_service').length === 1);
    leaving.abort(new Error('gone'));
    await expect(answer).rejects.toThrow('gone');
  });

  it('are not called after the deadline', async () => {
    const { link, standIn } = await scene(MAPPING);
    const sender = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
    const late = { deadline: Date.now() - 1, signal: new AbortController().signal };
    const error = await refusal(() => link.send({ command: 'light', value: true, sender }, late));
    expect(error.code).toBe('robot_timeout');
    expect(standIn.of('publish')).toEqual([]);
  });
});

describe('Topics through rosbridge', () => {
  it('are advertised before a message is published', async () => {
    const { standIn, send } = await scene(MAPPING);
    await expect(send('light', true)).resolves.toEqual({ sent: true });
    expect(standIn.of('publish')).toEqual([
      { op: 'publish', id: expect.any(String), topic: '/light', msg: { data: true } },
    ]);
    expect(standIn.of('advertise', '/light')).toMatchObject([{ type: 'std_msgs/msg/Bool' }]);
  });

  it('answer with the latest message', async () => {
    const { standIn, send } = await scene(MAPPING);
    const first = send('get_pose');
    await standIn.until(() => standIn.of('subscribe', '/odom').length === 1);
    standIn.publish('/odom', ODOMETRY);
    await expect(first).resolves.toEqual({ x: 1.5, theta: expect.closeTo(90, 9) });
    await expect(send('get_pose')).resolves.toEqual({ x: 1.5, theta: expect.closeTo(90, 9) });
  });

  it('fail with robot_timeout instead of an old message once silent', async () => {
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
