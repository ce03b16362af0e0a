import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { Joystick, jogOf } from '../support/joystick.ts';
import { until } from '../support/processes.ts';
import { exampleMapping, Ros1Bed } from '../support/ros1.ts';
import { describeWithRos1 } from '../support/ros1-components.ts';
import { clientOf, closeScenes, openLink } from '../support/rosbridge-link.ts';
import { SlowProxy } from '../support/slow-proxy.ts';

const WATCHDOG_MS = 300;
const mapping = (jog: string) => `${exampleMapping('turtlebot')}
jog: { ${jog}, watchdog_ms: ${WATCHDOG_MS} }
`;
const PLAIN = mapping('topic: /cmd_vel, type: geometry_msgs/Twist');
const STAMPED = mapping('topic: /cmd_vel_stamped, type: geometry_msgs/TwistStamped');
const AHEAD = { vx: 0.4, vy: 0, wz: 0 };
const FAR_AHEAD = { x: 50, y: 0, z: 0, theta: 0 };
/** What one velocity would drive until the watchdog ends it is 12 cm. */
const TWITCH_METRES = 0.03;
/** Twice as far as it goes until its watchdog stops it: on a busy machine what was held back arrives in bits. */
const TO_ITS_WATCHDOG_METRES = (2 * AHEAD.vx * WATCHDOG_MS) / 1000;
const CONNECTIONS = 4;
/** With those that are made when the first ones are lost. */
const MAX_CONNECTIONS = 40;

describeWithRos1('A robot with ROS 1 that is driven by hand', () => {
  let bed: Ros1Bed;
  let proxy: SlowProxy;
  const sticks: Joystick[] = [];
  beforeAll(async () => {
    bed = await Ros1Bed.start({ base: ['--watchdog', String(WATCHDOG_MS)] });
  });
  afterEach(async () => {
    for (const stick of sticks.splice(0)) stick.drop();
    await closeScenes();
    await proxy?.close();
    await bed.untilStanding();
  });
  afterAll(() => bed?.close());

  async function connect(text = PLAIN) {
    proxy = await SlowProxy.start(bed.bridgePort);
    const robot = clientOf(await openLink(text, proxy.url));
    await until('the link', () => robot.link.connected() && proxy.connectionCount === CONNECTIONS);
    // As ROS works, what is published before the base has heard of the publisher is lost.
    await until('the base to listen', async () => {
      jogOf(robot.link).send({ velocity: { vx: 0, vy: 0, wz: 0 }, seq: 0, validMs: WATCHDOG_MS });
      return sleep(1_000, true);
    });
    return robot;
  }

  async function driveAhead(text = PLAIN) {
    const robot = await connect(text);
    const stick = new Joystick(robot.link, AHEAD);
    sticks.push(stick);
    await bed.untilMoving();
    return { ...robot, stick };
  }

  function hold(): void {
    for (let index = 0; index < MAX_CONNECTIONS; index += 1) {
      proxy.hold(index, 'to-server');
      proxy.hold(index, 'to-client');
    }
  }

  /** How far the base goes within a second. */
  async function driven(): Promise<number> {
    const { x, y } = bed.motion;
    await sleep(1_000);
    return Math.hypot(bed.motion.x - x, bed.motion.y - y);
  }

  it('drives as the stick says, and stands when the stick is let go', async () => {
    const { link, stick } = await driveAhead();
    expect(await driven()).toBeGreaterThan(TWITCH_METRES);
    stick.drop();
    jogOf(link).send({ velocity: { vx: 0, vy: 0, wz: 0 }, seq: 0, validMs: WATCHDOG_MS });
    await bed.untilStanding();
    // A machine that stalls loses frames: they are never kept for later.
    const tooSlow = expect.objectContaining({ message: expect.stringContaining('too slow') });
    expect(stick.refusals).toEqual(stick.refusals.map(() => tooSlow));
  });

  it('stands by its own watchdog when nothing comes any more', async () => {
    const { stick } = await driveAhead();
    stick.drop();
    await bed.untilStanding();
    expect(await bed.standsFor(500)).toBe(true);
  });

  it('stands while its network swallows everything, and is not driven by what that lets go after 3 s', async () => {
    const { stick } = await driveAhead();
    hold();
    await bed.untilStanding();
    await sleep(3_000);
    expect(stick.refusals[0]).toMatchObject({ code: 'robot_unavailable' });
    stick.drop();
    expect(proxy.heldBytes(CONNECTIONS - 1)).toBeGreaterThan(0);
    const [distance] = await Promise.all([driven(), proxy.release()]);
    expect(distance).toBeLessThan(TO_ITS_WATCHDOG_METRES);
  });

  it('is not driven by what its frozen rosbridge server had received', async () => {
    const { stick } = await driveAhead();
    bed.freeze('bridge');
    await bed.untilStanding();
    await sleep(1_500);
    stick.drop();
    const [distance] = await Promise.all([driven(), bed.thaw('bridge')]);
    expect(distance).toBeLessThan(TO_ITS_WATCHDOG_METRES);
  });

  it('ignores late velocities of a service that has died, by the time in their header', async () => {
    const { link, stick } = await driveAhead(STAMPED);
    hold();
    await sleep(150);
    stick.drop();
    await link.close();
    await bed.untilStanding();
    await sleep(1_000);
    const [distance] = await Promise.all([driven(), proxy.release()]);
    expect(distance).toBeLessThan(TWITCH_METRES);
  });

  it('stops under a held stick', async () => {
    const { link, stick, stop } = await driveAhead();
    const stopping = stop();
    stick.drop();
    expect(await stopping).toMatchObject({ stopped: true });
    expect(await bed.standsFor(500)).toBe(true);
    expect(() => jogOf(link).send({ velocity: AHEAD, seq: 1, validMs: WATCHDOG_MS, arrivedAt: 1 })).toThrow(
      expect.objectContaining({ code: 'stopped' }),
    );
  });

  it('ends its goal before it is driven', async () => {
    const robot = await connect();
    const answer = await robot.send('go_to_absolute', FAR_AHEAD);
    await bed.untilMoving();
    await jogOf(robot.link).makeWay(new AbortController().signal);
    await bed.untilStanding();
    const { msg: id } = answer as { msg: string }; // as: how goals are answered
    expect(await robot.send('wait_for_skill', id)).toMatchObject({ awaited: false, msg: 'Mission cancelled' });
    sticks.push(new Joystick(robot.link, AHEAD));
    await bed.untilMoving();
  });
});
