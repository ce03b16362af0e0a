import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { JsonValue } from '../../functions/shared/kit/json.ts';
import { refusal } from '../support/errors.ts';
import { until } from '../support/processes.ts';
import { Ros1Bed } from '../support/ros1.ts';
import { describeWithRos1 } from '../support/ros1-components.ts';
import { clientOf, closeScenes, type LinkClient, openLink } from '../support/rosbridge-link.ts';
import { ROOT } from '../support/sources.ts';

const MAPPING = readFileSync(join(ROOT, 'examples/rosbridge/turtlebot.yaml'), 'utf8');
const FAR_AHEAD = { x: 50, y: 0, z: 0, theta: 0 };

describeWithRos1('A robot with ROS 1, move_base and rosbridge, behind the example mapping', () => {
  let bed: Ros1Bed;
  let robot: LinkClient;
  beforeAll(async () => {
    bed = await Ros1Bed.start();
    await bed.record();
  });
  beforeEach(async () => {
    robot = clientOf(await openLink(MAPPING, bed.url));
    await until('the link', () => robot.link.connected());
    await robot.send('reset_odometry');
    await poseAt(0, 0);
  });
  afterEach(async () => {
    await robot.stop();
    await closeScenes();
  });
  afterAll(() => bed?.close());

  async function missionOf(command: string, value: typeof FAR_AHEAD): Promise<string> {
    const answer = await robot.send(command, value);
    expect(answer).toEqual({ called: true, msg: expect.any(String) });
    return (answer as { msg: string }).msg; // as: it was just looked at
  }

  /** The pose the robot tells, once it is that of a place: what it has told last may be of a moment ago. */
  function poseAt(x: number, y: number): Promise<JsonValue> {
    return until(`the pose at ${x}, ${y}`, async () => {
      const pose = (await robot.send('get_pose')) as { x: number; y: number }; // as: the mapping says so
      return Math.hypot(pose.x - x, pose.y - y) < 0.001 && pose;
    });
  }

  it('drives towards a goal and stands still after a stop', async () => {
    const id = await missionOf('go_to_absolute', FAR_AHEAD);
    await bed.untilMoving();
    expect(await robot.stop()).toEqual({ stopped: true, cancelled_missions: 1 });
    expect(await bed.standsFor(500)).toBe(true);
    expect(bed.motion.x).toBeGreaterThan(0);
    expect(await robot.send('wait_for_skill', id)).toMatchObject({ awaited: false, msg: 'Mission cancelled' });
    expect(bed.recordedOf('/move_base/goal').at(-1)).toMatchObject({
      from: '/bridge',
      msg: { goal_id: { id }, goal: { target_pose: { header: { frame_id: 'map' }, pose: { position: { x: 50 } } } } },
    });
  });

  it('stops a goal of another client', async () => {
    await missionOf('go_to_absolute', FAR_AHEAD);
    await bed.untilMoving();
    const another = clientOf(await openLink(MAPPING, bed.url));
    await until('the other link', () => another.link.connected());
    expect(await another.stop()).toMatchObject({ stopped: true });
    expect(await bed.standsFor(500)).toBe(true);
  });

  it('reports the outcome of a short mission, and the pose in metres and degrees', async () => {
    const id = await missionOf('go_to_relative', { x: 0.3, y: 0.3, z: 0, theta: 0 });
    expect(await robot.send('wait_for_skill', id)).toEqual({
      awaited: true,
      start_result: { started: true, msg: 'Mission started' },
      msg: 'Mission finished',
    });
    await bed.untilStanding();
    const { x, y, yaw } = bed.motion;
    expect(await poseAt(x, y)).toEqual({
      x: expect.closeTo(x),
      y: expect.closeTo(y),
      z: 0,
      theta: expect.closeTo(degrees(yaw)),
    });
    expect(degrees(yaw)).toBeGreaterThan(30);
  });

  it('stops driving when the mission is cancelled', async () => {
    const id = await missionOf('go_to_absolute', FAR_AHEAD);
    await bed.untilMoving();
    expect(await robot.send('cancel_and_wait_for_mission', id)).toEqual({ cancelled: true, msg: 'Mission cancelled' });
    await bed.untilStanding();
    expect(await bed.standsFor(300)).toBe(true);
  });

  it('calls the services of the robot and reads its battery', async () => {
    expect(await robot.send('set_motor_power', false)).toMatchObject({ success: true });
    await missionOf('go_to_absolute', FAR_AHEAD);
    expect(await bed.standsFor(300)).toBe(true);
    expect(await robot.send('set_motor_power', true)).toMatchObject({ success: true });
    await bed.untilMoving();
    expect(await robot.send('get_battery_level')).toBeCloseTo(87);
    expect(await refusal(() => robot.send('play_sound', 1))).toMatchObject({ code: 'robot_error' });
  });

  it('reconnects after its rosbridge server was killed, and its mission can be stopped', async () => {
    const id = await missionOf('go_to_absolute', FAR_AHEAD);
    await bed.untilMoving();
    await bed.kill('bridge');
    await until('the link to be down', () => !robot.link.connected());
    expect(await refusal(() => robot.stop())).toMatchObject({ code: 'robot_unavailable' });
    expect(bed.speed()).toBeGreaterThan(0);
    await bed.restart('bridge');
    await until('the link to be up', () => robot.link.connected());
    expect(await robot.send('wait_for_skill_started', id)).toEqual({ started: true, msg: 'Mission started' });
    // Until the new server passes on what the robot tells, no stop is confirmed; clients repeat it.
    await until('the stop is confirmed', () =>
      robot.stop().then(
        () => true,
        () => false,
      ),
    );
    expect(await bed.standsFor(500)).toBe(true);
  });
});

const degrees = (radians: number) => (radians * 180) / Math.PI;
