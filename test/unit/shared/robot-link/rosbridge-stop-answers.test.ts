import { afterEach, describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '../../../../functions/shared/kit/json.ts';
import { closeScenes, scene } from '../../../support/rosbridge-link.ts';
import { called, commands, ROS1, ROS2 } from '../../../support/rosbridge-mappings.ts';

afterEach(closeScenes);

describe('Stop', () => {
  it('cancels actions of ROS 1 that no command uses', async () => {
    const { standIn, stop } = await scene(ROS1);
    await expect(stop()).resolves.toMatchObject({ stopped: true });
    expect(standIn.of('advertise', '/arm/cancel')).toHaveLength(1);
    expect(new Set(standIn.of('publish', '/arm/cancel').map(({ msg }) => (msg as JsonObject).id))).toEqual(
      new Set(['']),
    ); // as: messages are objects
    expect(standIn.of('subscribe', '/arm/result')).toEqual([]);
  });

  it('is robot_error when nothing can be told to stop', async () => {
    const still = 'still: { name: /odom, type: nav_msgs/msg/Odometry, zero: [speed] }';
    const { standIn, stop } = await scene(`ros: 2\nstop: { cancel: [/nav], ${still} }${commands('msg/', 'action/')}`);
    for (const name of ['/nav', '/dock']) standIn.gone.add(name);
    await expect(stop()).rejects.toMatchObject({
      code: 'robot_error',
      message: expect.stringContaining('Nobody on the robot could be told to stop'),
    });
  });

  it('abandons goals of a missing server and waits for those of another', async () => {
    const each = await scene(ROS2);
    await called(each, 'go');
    await called(each, 'dock');
    each.standIn.gone.add('/nav');
    each.standIn.onCancel = (goal) => goal.action === '/dock' && goal.end('cancelled');
    await expect(each.stop()).resolves.toEqual({ stopped: true, cancelled_missions: 2 });
  });

  it('counts its own goals where a server does not report how many it cancelled', async () => {
    const each = await scene(ROS2);
    const id = await called(each);
    each.standIn.services.set('/nav/_action/cancel_goal', () => null as JsonValue);
    await expect(each.stop()).resolves.toEqual({ stopped: true, cancelled_missions: 1 });
    await expect(each.send('wait_for_skill', id)).resolves.toMatchObject({ msg: 'Mission cancelled' });
  });

  const BRAKE = `ros: 2
stop:
  service: [{ name: /brake, args: { on: true }, success: $answer.ok, message: $answer.why }]
  still: { name: /odom, type: nav_msgs/msg/Odometry, zero: [speed, turn.0], tolerance: 0.01, throttle_ms: 0 }
${commands('msg/', 'action/')}`;

  it('is confirmed when its services have succeeded and the robot stands', async () => {
    const { standIn, stop } = await scene(BRAKE);
    let told = 0;
    standIn.services.set('/brake', () => ({ ok: true }));
    const stopping = stop();
    const telling = setInterval(() => {
      if (standIn.of('call_service').length < 3) return; // before it was told
      told += 1;
      const speeds: JsonValue[] = ['fast', 0.4, -0.4, 0.001];
      standIn.publish('/odom', { speed: speeds[Math.min(told >> 4, 3)] ?? 0, turn: [0] });
    }, 5);
    try {
      await expect(stopping).resolves.toMatchObject({ stopped: true });
      expect(standIn.of('call_service').find(({ service }) => service === '/brake')?.args).toEqual({ on: true });
      expect(told).toBeGreaterThanOrEqual(48);
    } finally {
      clearInterval(telling);
    }
  });

  it('is robot_error when a service reports that it did not brake', async () => {
    const { standIn, stop } = await scene(BRAKE);
    standIn.services.set('/brake', () => ({ ok: false, why: 'the brake is worn' }));
    await expect(stop()).rejects.toMatchObject({
      code: 'robot_error',
      message: 'The service /brake did not succeed: the brake is worn.',
    });
  });
});
