import { afterEach, describe, expect, it } from '@jest/globals';
import type { JsonValue } from '../../../../functions/shared/kit/json.ts';
import { refusal } from '../../../support/errors.ts';
import { closeScenes, scene } from '../../../support/rosbridge-link.ts';
import { HERE, ROS2, say } from '../../../support/rosbridge-mappings.ts';

afterEach(closeScenes);

describe('A service that fails', () => {
  it('without a message is reported as giving no reason', async () => {
    const { standIn, send } = await scene(ROS2);
    standIn.services.set('/raw', () => Promise.reject(new Error('')));
    await expect(send('raw')).rejects.toMatchObject({
      message: 'The service /raw failed: the robot does not say why.',
    });
  });

  it('with a very long message is reported in one readable line', async () => {
    const { standIn, send } = await scene(ROS2);
    standIn.services.set('/raw', () => Promise.reject(new Error(`${'very '.repeat(100)}long\nin /opt/robot/arm.py`)));
    const { message } = await refusal(() => send('raw'));
    expect(message).toMatch(/^The service \/raw failed: very .*…$/);
    expect([message.length <= 301, message.includes('/opt')]).toEqual([true, false]);
  });

  it.each([
    ['check', { ok: false }, 'the robot does not say why'],
    ['explain', { ok: false, why: '' }, 'the robot does not say why'],
    ['explain', { ok: false, why: 5 }, 'the robot does not say why'],
    ['explain', { ok: false, why: 'too hot' }, 'too hot'],
  ])('according to its answer to %s, %j, is robot_error: %s', async (command, answer, why) => {
    const { standIn, send } = await scene(ROS2);
    standIn.services.set('/check', () => answer);
    await expect(send(command)).rejects.toMatchObject({
      code: 'robot_error',
      message: `The service /check did not succeed: ${why}.`,
    });
  });

  it('without an error but without values answers null', async () => {
    const { standIn, send } = await scene(ROS2);
    standIn.services.set('/raw', () => undefined as unknown as JsonValue); // as: the member is left out on the wire
    await expect(send('raw')).resolves.toBeNull();
  });
});

describe('A relative goal', () => {
  const ORIENTATION = { x: 0, y: 0, z: 0, w: 1 };
  const POSITION = { x: 2, y: 3, z: 0 };
  async function tell(message: JsonValue) {
    const each = await scene(ROS2);
    const answer = each.send('go_by', { x: 1, y: 0, z: 0 });
    await each.standIn.until(() => each.standIn.of('subscribe', '/odom').length >= 1);
    each.standIn.publish('/odom', message);
    return { each, answer };
  }

  it.each<[string, JsonValue]>([
    ['no pose', { twist: {} }],
    ['no position', { pose: { pose: { orientation: ORIENTATION } } }],
    ['a position that is none', { pose: { pose: { position: { x: 'far' }, orientation: ORIENTATION } } }],
    ['no heading', { pose: { pose: { position: POSITION, orientation: [0, 0, 0, 1] } } }],
    ['a heading of words', { pose: { pose: { position: POSITION, orientation: { ...ORIENTATION, w: 'north' } } } }],
    ['a rotation that is none', { pose: { pose: { position: POSITION, orientation: { ...ORIENTATION, w: 0 } } } }],
  ])('is robot_error without motion when the robot reports %s', async (_what, message) => {
    const { each, answer } = await tell(message);
    await expect(answer).rejects.toMatchObject({
      code: 'robot_error',
      message: expect.stringContaining('"pose.pose"'),
    });
    expect(each.standIn.goals).toEqual([]);
  });

  it('keeps the heading and names no frame where neither is given', async () => {
    const { each, answer } = await tell({ pose: { pose: { position: POSITION, orientation: ORIENTATION } } });
    await answer;
    expect(each.standIn.goals[0]?.args).toEqual({ x: 3, y: 3, yaw: 0, frame: '' });
  });
});

describe('A rosbridge link', () => {
  it('ignores binary messages and invalid topics', async () => {
    const each = await scene(ROS2);
    each.standIn.services.set('/raw', () => 1);
    each.standIn.sendBytes(Buffer.from('{"op":"publish"}'));
    say(each, { op: 'publish', topic: 5, msg: 1 });
    say(each, { op: 'publish', topic: '/odom' });
    await expect(each.send('raw')).resolves.toBe(1);
  });

  it('that is too slow refuses commands and goals instead of delivering them late', async () => {
    const { standIn, send } = await scene(ROS2);
    standIn.freeze();
    const long = 'x'.repeat(200_000);
    const fill = async () => {
      for (;;) await Promise.race([send('say', long), new Promise((resolve) => setImmediate(resolve))]);
    };
    expect(await refusal(fill)).toMatchObject({
      code: 'robot_unavailable',
      message: expect.stringContaining('too slow'),
    });
    // The system may still take some of what waits; the question whether the action is served then goes unanswered.
    const refused = await refusal(async () => {
      for (;;) {
        await refusal(fill);
        await send('go', HERE);
      }
    });
    expect(refused).toMatchObject({ code: 'robot_unavailable' });
  });

  it('sends nothing for a caller who has already left', async () => {
    const { standIn, send } = await scene(ROS2);
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(send('raw', undefined, gone)).rejects.toThrow('gone');
    await expect(send('go_by', HERE, gone)).rejects.toThrow('gone');
    expect(standIn.of('call_service')).toEqual([]);
  });
});
