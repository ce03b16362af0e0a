import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import type { JsonObject } from '../../functions/shared/kit/json.ts';
import { refusal } from '../support/errors.ts';
import { until } from '../support/processes.ts';
import { type BedOptions, Ros1Bed } from '../support/ros1.ts';
import { describeWithRos1 } from '../support/ros1-components.ts';
import { clientOf, closeScenes, type LinkClient, openLink } from '../support/rosbridge-link.ts';
import { SlowProxy } from '../support/slow-proxy.ts';
import { ROOT } from '../support/sources.ts';

const MAPPING = readFileSync(join(ROOT, 'examples/rosbridge/turtlebot.yaml'), 'utf8');
/** With a field that no goal of move_base has. */
const MISFIT_MAPPING = MAPPING.replace('position: { x: $x, y: $y, z: $z }', 'position: { x: $x, y: $y, zz: $z }');
const DRIVE = `drive:
    title: Drive
    kind: float
    publish: { name: /cmd_vel, type: geometry_msgs/Twist, message: { linear: { x: $value } } }`;
const SERVICE_MAPPING = `
ros: 1
stop: { cancel: [/move_base], service: [{ name: /halt, success: $answer.success }] }
commands: {}
`;
const FAR_AHEAD = { x: 50, y: 0, z: 0, theta: 0 };

describeWithRos1('A stop of a robot with ROS 1', () => {
  let bed: Ros1Bed;
  let proxy: SlowProxy | undefined;
  afterEach(async () => {
    await closeScenes();
    await proxy?.close();
    proxy = undefined;
    await bed.close();
  });

  async function bedWith(options: BedOptions = {}): Promise<LinkClient> {
    bed = await Ros1Bed.start(options);
    return robotAt(bed.url);
  }

  async function robotAt(url: string, mapping = MAPPING): Promise<LinkClient> {
    const robot = clientOf(await openLink(mapping, url));
    await until('the link', () => robot.link.connected());
    return robot;
  }

  async function missionOf(robot: LinkClient): Promise<string> {
    const { msg } = (await robot.send('go_to_absolute', FAR_AHEAD)) as JsonObject; // as: the mapping says so
    return String(msg);
  }

  it('outlasts an action server that ends late and leaves the robot driving', async () => {
    const robot = await bedWith({ actions: { move_base: ['--cancel-delay', '700', '--no-final-zero'] } });
    await missionOf(robot);
    await bed.untilMoving();
    expect(await robot.stop()).toEqual({ stopped: true, cancelled_missions: 1 });
    expect(await bed.standsFor(500)).toBe(true);
  });

  it('is over once it is confirmed, so that the robot can drive again', async () => {
    const robot = await bedWith();
    await robot.stop();
    await missionOf(robot);
    await bed.untilMoving();
    expect(await bed.standsFor(300)).toBe(false);
  });

  it('is not confirmed by delayed odometry from before it', async () => {
    const other = await bedWith({ actions: { move_base: ['--cancel-delay', '2000'] } });
    proxy = await SlowProxy.start(bed.bridgePort);
    const robot = await robotAt(proxy.url);
    await robot.send('get_pose');
    proxy.hold(1, 'to-client');
    await sleep(600); // of standing still
    await missionOf(other);
    await bed.untilMoving();
    const stopping = robot.stop();
    await sleep(300);
    proxy.release();
    expect(await stopping).toMatchObject({ stopped: true });
    expect(await bed.standsFor(300)).toBe(true);
  });

  it('does not take an action server with delayed statuses for dead', async () => {
    const other = await bedWith({ base: ['--halt', 'lie'], actions: { move_base: ['--cancel-delay', '5000'] } });
    proxy = await SlowProxy.start(bed.bridgePort);
    const robot = await robotAt(proxy.url, SERVICE_MAPPING);
    const id = await missionOf(other);
    await bed.untilMoving();
    proxy.hold(1, 'to-client');
    const stopping = robot.stop().catch(() => 'the link broke');
    await Promise.race([stopping, sleep(1_900)]);
    proxy.release();
    if ((await stopping) === 'the link broke') return;
    const ended = await other.send('wait_for_skill', id, AbortSignal.timeout(1_000));
    expect(ended).toMatchObject({ msg: 'Mission cancelled' });
  });

  it('waits for a command delivered after its connection was closed, and stops that too', async () => {
    bed = await Ros1Bed.start();
    proxy = await SlowProxy.start(bed.bridgePort);
    const robot = await robotAt(proxy.url, MAPPING.replace('reset_odometry:', `${DRIVE}\n  reset_odometry:`));
    await robot.send('get_pose');
    proxy.hold(0);
    const driving = refusal(() => robot.send('drive', 0.4));
    await expect(robot.stop({ deadline: Date.now() + 1_500 })).rejects.toMatchObject({
      code: 'robot_timeout',
      message: expect.stringContaining('earlier commands may still reach the robot'),
    });
    expect(await driving).toMatchObject({ code: 'robot_unavailable' });
    const stopping = robot.stop();
    proxy.release();
    expect(await stopping).toMatchObject({ stopped: true });
    expect(await bed.standsFor(300)).toBe(true);
  });

  it('is confirmed even if a goal was invalid and never reached a server', async () => {
    bed = await Ros1Bed.start();
    const robot = await robotAt(bed.url, MISFIT_MAPPING);
    await missionOf(robot);
    expect(await robot.stop({ deadline: Date.now() + 10_000 })).toMatchObject({ stopped: true });
  });

  it('is confirmed by a server that sends errors as status messages, and rejected goals are reported', async () => {
    bed = await Ros1Bed.start({ bridge: ['--status'] });
    const robot = await robotAt(bed.url, MISFIT_MAPPING);
    expect(await robot.send('go_to_absolute', FAR_AHEAD)).toMatchObject({
      called: false,
      msg: expect.stringContaining('does not have a field goal.target_pose.pose.position.zz'),
    });
    expect(await robot.stop()).toEqual({ stopped: true, cancelled_missions: 0 });
  });

  it('knows the outcome of each of many goals that replaced one another', async () => {
    const robot = await bedWith();
    const ids = await Promise.all(Array.from({ length: 30 }, () => missionOf(robot)));
    await bed.untilMoving();
    expect(await robot.stop()).toMatchObject({ stopped: true });
    for (const id of ids) {
      expect(await robot.send('wait_for_skill', id)).toMatchObject({ awaited: false, msg: 'Mission cancelled' });
    }
  });

  it('is confirmed after its action server was restarted, and so is the next one', async () => {
    const robot = await bedWith();
    await missionOf(robot);
    await bed.untilMoving();
    await bed.restart('move_base');
    for (const _time of ['first', 'second']) {
      expect(await robot.stop({ deadline: Date.now() + 10_000 })).toMatchObject({ stopped: true });
      expect(await bed.standsFor(300)).toBe(true);
    }
  });

  it('stops a robot whose action server was killed, and ends waits for its mission', async () => {
    const robot = await bedWith();
    const id = await missionOf(robot);
    await bed.untilMoving();
    await bed.kill('move_base');
    const waiting = robot.send('wait_for_skill', id);
    expect(await waiting).toMatchObject({ awaited: false });
    expect(await robot.stop({ deadline: Date.now() + 10_000 })).toMatchObject({ stopped: true });
    expect(await bed.standsFor(300)).toBe(true);
  });
});
