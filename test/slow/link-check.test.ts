import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { CHECKS } from '../../local-host/cli/link-check/run-checks.ts';
import { describeWith } from '../support/components.ts';
import { freePort } from '../support/free-port.ts';
import { faultyIn, link, linkCheck, passwordFile, uncheckedIn } from '../support/link-check.ts';
import { MOSQUITTO } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { CLIENT, readmeBlocks, startPython } from '../support/python-client.ts';
import { broker, closing, robots, start, useBroker } from '../support/python-example.ts';
import { PythonRobot, ROBOTS } from '../support/python-robot.ts';

const { python } = ROBOTS['the package robot_rest.robot'];
const ALL_BUT_THE_LAST = CHECKS.map(({ name }) => name)
  .filter((name) => !['stop-driven', 'second-program'].includes(name))
  .join();
/** Robots in the README. */
const MAKERS = readmeBlocks().filter((block) => block.includes('import Declined, Robot'));
const FAULTY = { python, file: join(CLIENT, 'tests/faulty_robot.py') };

describeWith('mosquitto', MOSQUITTO, 'The check of a robot over its link', () => {
  useBroker();

  describeWith('paho-mqtt 2', python, 'finds', () => {
    it.each([
      ['an entry that is none', 'catalogue_entry_of_no_kind', 'presence', []],
      ['answers of another type than the catalogue says', 'answers_of_another_type', 'answers', []],
      ['late commands that run', 'runs_late_commands', 'late', []],
      ['commands from a clock ahead that run', 'runs_commands_of_the_future', 'clock', []],
      ['repeated messages that run again', 'runs_repeated_messages', 'repeated', []],
      ['a program that ends at what it cannot parse', 'ends_at_what_it_cannot_parse', 'garbage', []],
      ['a stop that is confirmed at once', 'confirms_a_stop_at_once', 'stop,stop-busy', []],
      ['stops that are queued behind commands', 'queues_stops_behind_commands', 'stop-busy', []],
      ['numbers that are not compared', 'does_not_compare_numbers', 'fence', []],
      ['a drive that does not say that it replaced another', 'does_not_say_that_it_replaced', 'replaced', []],
      ['waits in the way of a query', 'waits_in_the_way_of_queries', 'waits', []],
      ['a robot that drives on when the frames cease', 'goes_on_when_frames_cease', 'jog', []],
    ])('%s', async (_what, fault, checks) => {
      await start(FAULTY, { ROBOT_FAULT: fault });
      const { code, stdout, stderr } = await linkCheck(broker, ['--yes', '--only', checks]);
      expect([faultyIn(stdout), code, stderr]).toEqual([checks.split(','), 1, '']);
    });

    it('a stop that is confirmed while something else drives the robot', async () => {
      await start(FAULTY, { ROBOT_FAULT: 'confirms_a_stop_although_driven', ROBOT_PUSHED_MPS: '0.2' });
      const { code, stdout } = await linkCheck(broker, ['--yes', '--driven', '--only', 'stop-driven']);
      expect([faultyIn(stdout), code]).toEqual([['stop-driven'], 1]);
    });

    it('a robot that drives on when its link hangs', async () => {
      const port = await freePort();
      const checking = linkCheck(broker, ['--yes', '--listen', String(port), '--only', 'link-cut']);
      await connectThrough(FAULTY, port, { ROBOT_FAULT: 'goes_on_when_its_link_hangs' });
      const { code, stdout } = await checking;
      expect([faultyIn(stdout), code]).toEqual([['link-cut'], 1]);
    });

    it('a robot that fights another program for its id', async () => {
      await start(FAULTY, { ROBOT_FAULT: 'takes_its_id_back' });
      const password = ['--robot-password-file', passwordFile(broker)];
      const { code, stdout } = await linkCheck(broker, ['--yes', ...password, '--only', 'second-program']);
      expect([faultyIn(stdout), code]).toEqual([['second-program'], 1]);
    });
  });

  it.each(Object.entries(ROBOTS))('finds nothing wrong with the robot on %s', async (_name, program) => {
    const port = await freePort();
    const checking = sound(['--yes', '--listen', String(port), '--only', ALL_BUT_THE_LAST], []);
    await connectThrough(program, port);
    await checking;
    const again = ['--listen', String(port), '--robot-password-file', passwordFile(broker)];
    const last = [...again, '--only', 'second-program'];
    expect(await linkCheck(broker, ['--yes', ...last])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Sound\.\n$/),
    });
  });

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
    await sound(['--yes'], ['stop-driven', ...missing, 'link-cut', 'second-program']);
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
    for (const args of [[], ['mend'], ['check', 'http://robot'], ['check', '--only', 'luck']]) {
      expect([args, (await link(args)).code]).toEqual([args, 2]);
    }
  });
});

/** Checks a robot that is sound: again where this machine has stalled, which ends what the robot was doing. */
async function sound(options: readonly string[], open: readonly string[]): Promise<void> {
  for (let times = 1; ; times += 1) {
    const { code, stdout } = await linkCheck(broker, options);
    if (code === 1 && times < 3) continue;
    expect([faultyIn(stdout), uncheckedIn(stdout), code]).toEqual([[], open, 0]);
    return;
  }
}

/** Starts a robot that connects to this port in place of its broker. */
async function connectThrough(program: typeof FAULTY, port: number, environment: Record<string, string> = {}) {
  const args = ['127.0.0.1', String(port), 'robot-1'];
  const password = { ROBOT_MQTT_PASSWORD: broker.password('robot-1') };
  robots.push(new PythonRobot(program, args, { ...password, ...environment }));
}
