import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { freePort } from '../support/free-port.ts';
import { expectSound, faultyIn, link, linkCheck, uncheckedIn } from '../support/link-check.ts';
import { MOSQUITTO } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { CLIENT, readmeBlocks, startPython } from '../support/python-client.ts';
import { broker, closing, start, useBroker } from '../support/python-example.ts';
import { ROBOTS } from '../support/python-robot.ts';

const { python } = ROBOTS['the package robot_rest.robot'];
/** Robots in the README. */
const MAKERS = readmeBlocks().filter((block) => block.includes('import Declined, Robot'));

describeWith('mosquitto', MOSQUITTO, 'The check of a robot over its link', () => {
  useBroker();

  it('finds nothing wrong with a robot that something else drives', async () => {
    await start(ROBOTS['the newest paho-mqtt'], { ROBOT_PUSHED_MPS: '0.2' });
    const { code, stdout } = await linkCheck(broker, ['--yes', '--driven', '--only', 'stop-driven']);
    expect([faultyIn(stdout), uncheckedIn(stdout), code]).toEqual([[], [], 0]);
  });

  it.each([
    ['the short example of the package', [join(CLIENT, 'examples/robot.py'), 'robot-1'], ['jog']],
    ['the robot in the README of the package', ['-c', MAKERS[0] ?? ''], []],
  ])('finds nothing wrong with %s', async (_name, args, missing) => {
    const robot = startPython(args, { ROBOT_BROKER: broker.url('robot-1') }, { python });
    closing.push(async () => {
      robot.child.kill('SIGTERM');
      expect((await robot.ended).code).toBe(0);
    });
    await until('it is connected', () => robot.said.stderr.includes('connected'));
    await expectSound(broker, ['--yes'], ['stop-driven', ...missing, 'link-cut', 'second-program']);
  });

  it('moves nothing without --yes, and says what it left out', async () => {
    const { robot } = await start(ROBOTS['the newest paho-mqtt']);
    const since = Date.now();
    const { code, stdout } = await linkCheck(broker, []);
    expect(code).toBe(0);
    expect(uncheckedIn(stdout)).toEqual(
      expect.arrayContaining(['stop-busy', 'fence', 'replaced', 'waits', 'jog', 'link-cut']),
    );
    expect(stdout).toMatch(/No faults found\. 8 of 16 rules were not checked\.\n$/);
    expect(robot.speeds().filter(({ at, speed }) => at > since && speed > 0)).toEqual([]);
  });

  it('says that a robot or its broker cannot be reached, and shows no password', async () => {
    const absent = await linkCheck(broker, ['--only', 'stop']);
    expect([absent.code, absent.stderr]).toEqual([2, expect.stringContaining('robot-1 is not online')]);
    const nowhere = await link(['check', `mqtt://service:s3cret@127.0.0.1:${await freePort()}/robot-1`]);
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.not.stringContaining('s3cret')]);
    expect(nowhere.stderr).toMatch(/MQTT broker at 127\.0\.0\.1:\d+ cannot be reached/);
    const ros = await link(['check'], { SERVICE_ROBOT_URL: 'ws://127.0.0.1:9' });
    expect([ros.code, ros.stderr]).toEqual([2, expect.stringContaining('name the mapping: check rosbridge.yaml')]);
    for (const args of [[], ['mend'], ['check', 'http://robot'], ['check', '--only', 'luck']]) {
      expect([args, (await link(args)).code]).toEqual([args, 2]);
    }
  });
});
