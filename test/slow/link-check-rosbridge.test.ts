import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { faultyIn, link, uncheckedIn } from '../support/link-check.ts';
import { RosbridgeBase } from '../support/rosbridge-base.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

const MAPPING = `
ros: 1
stop:
  publish: [{ name: /cmd_vel, type: geometry_msgs/Twist, message: { linear: { x: 0 } }, times: 3, every_ms: 50 }]
  still: { name: /odom, type: nav_msgs/Odometry, zero: [twist.twist.linear.x], throttle_ms: 20 }
state: [{ topic: /odom, type: nav_msgs/Odometry }]
joints: [{ topic: /joint_states, type: sensor_msgs/JointState }]
jog: { topic: /cmd_vel, type: geometry_msgs/Twist, watchdog_ms: 300 }
commands:
  play_sound: { title: Play, kind: int, motion: false, service: { name: /sound, args: { value: $value } } }
`;
const TOPICS = {
  '/cmd_vel': 'geometry_msgs/Twist',
  '/odom': 'nav_msgs/Odometry',
  '/joint_states': 'sensor_msgs/JointState',
};

describe('The check of a robot with a mapping', () => {
  const bases: RosbridgeBase[] = [];
  afterEach(async () => {
    for (const base of bases.splice(0)) await base.close();
  });

  async function start(options: Parameters<typeof RosbridgeBase.start>[0]): Promise<RosbridgeBase> {
    const base = await RosbridgeBase.start(options);
    bases.push(base);
    return base;
  }

  async function check(base: RosbridgeBase, options: readonly string[], mapping = MAPPING) {
    const path = join(temporaryFolder(), 'mapping.yaml');
    writeFileSync(path, mapping);
    const { code, stdout } = await link(['check', path, ...options], { SERVICE_ROBOT_URL: base.standIn.url });
    return { code, stdout, faulty: faultyIn(stdout), unchecked: uncheckedIn(stdout) };
  }

  it('moves nothing without --yes, and says with it that it drives by hand', async () => {
    const base = await start({ hasWatchdog: true });
    expect((await check(base, [])).stdout).toMatch(/without --yes it is stopped and not moved/);
    expect(base.steered).toBe(0);
    const { stdout, faulty, unchecked } = await check(base, ['--yes']);
    expect(stdout).toMatch(/driven by hand/);
    expect(stdout).not.toMatch(/not moved/);
    expect([faulty, unchecked]).toEqual([[], ['parts', 'stop-busy']]);
    expect(base.steered).toBeGreaterThan(0);
  });

  it('finds a base without a watchdog', async () => {
    const { faulty, code } = await check(await start({}), ['--yes', '--only', 'jog']);
    expect([faulty, code]).toEqual([['jog'], 1]);
  });

  it('calls no base sound, and drives none, whose odometry is missing', async () => {
    const base = await start({ hasOdometry: false });
    const { faulty, unchecked } = await check(base, ['--yes', '--only', 'jog']);
    expect([faulty, unchecked, base.steered]).toEqual([[], ['jog'], 0]);
  });

  it('asks rosapi whether the robot has what the mapping names', async () => {
    const base = await start({ hasWatchdog: true, topics: TOPICS });
    const only = ['--only', 'mapping,parts'];
    expect(await check(base, only)).toMatchObject({ faulty: [], unchecked: [], code: 0 });
    for (const [here, typo, fault] of [
      ['name: /cmd_vel', 'name: /cmdvel', 'stop.publish: no node of the robot subscribes to /cmdvel'],
      ['topic: /odom', 'topic: /odometry', 'state: no node of the robot publishes /odometry'],
      ['name: /sound', 'name: /sounds', 'commands.play_sound.service: the robot has no service /sounds'],
      [
        'topic: /joint_states, type: sensor_msgs/JointState',
        'topic: /odom, type: sensor_msgs/JointState',
        'joints: /odom has the type nav_msgs/Odometry on the robot, not sensor_msgs/JointState',
      ],
    ] as const) {
      const { stdout, faulty } = await check(base, only, MAPPING.replace(here, typo));
      expect(faulty).toEqual(['parts']);
      expect(stdout).toContain(fault);
      expect(stdout).toContain('See docs/rosbridge.md.');
    }
  });

  it('says without rosapi that the mapping is only known to be valid', async () => {
    const { stdout, unchecked, code } = await check(await start({}), ['--only', 'mapping,parts']);
    expect([unchecked, code]).toEqual([['parts'], 0]);
    expect(stdout).toContain('The mapping is valid; whether the robot has these topics was not checked');
  });

  it('warns of two commands that would drive the base in turns', async () => {
    const publish = '{ name: /cmd_vel, type: geometry_msgs/Twist, message: { linear: { x: $value } }, times: 40 }';
    const drive = (more: string) =>
      `  drive: { title: Drive, kind: float, motion: true, ${more}publish: ${publish} }\n`;
    const base = await start({ hasWatchdog: true });
    const fought = await check(base, ['--only', 'mapping'], MAPPING + drive(''));
    expect([fought.faulty, fought.stdout]).toEqual([['mapping'], expect.stringContaining('replaces: true')]);
    expect((await check(base, ['--only', 'mapping'], MAPPING + drive('replaces: true, '))).faulty).toEqual([]);
  });

  it('refuses options and checks that a mapping does not have', async () => {
    const base = await start({});
    for (const options of [['--only', 'fence'], ['--driven'], ['--listen', '1']])
      expect([options, (await check(base, options)).code]).toEqual([options, 2]);
    expect(base.steered).toBe(0);
  });

  it('ends in order when nobody reads the report any more', async () => {
    const base = await start({ hasWatchdog: true });
    const path = join(temporaryFolder(), 'mapping.yaml');
    writeFileSync(path, MAPPING);
    const check = `"${process.execPath}" --import tsx local-host/cli/link.ts check "${path}" --yes`;
    const env = { PATH: process.env.PATH ?? '', SERVICE_ROBOT_URL: base.standIn.url };
    const { stdout, stderr } = await promisify(execFile)(
      'bash',
      ['--norc', '-c', `${check} | head -n 1; echo status "\${PIPESTATUS[0]}"`],
      { cwd: ROOT, env },
    );
    expect(stdout).toMatch(/^.*driven by hand.*\nstatus 2\n$/);
    expect(stderr).toMatch(/Nobody reads the report any more; the check has ended early\.\n$/);
    expect(stderr).not.toMatch(/EPIPE/);
  });
});
