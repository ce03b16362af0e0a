import { afterAll, afterEach, beforeAll, describe, expect } from '@jest/globals';
import { describeWith } from './components.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from './mosquitto.ts';
import { until } from './processes.ts';
import { PythonRobot, ROBOTS, RobotCaller, type RobotProgram } from './python-robot.ts';

/** The broker of the running tests. */
export let broker: TestBroker;
/** Robots to be ended after the test. */
export const robots: PythonRobot[] = [];
/** What else is to be closed after the test. */
export const closing: Array<() => Promise<void>> = [];
const callers: RobotCaller[] = [];

/** Tests of the robots in Python, or of some of them, against a Mosquitto of their own. */
export function describeExample(
  what: string,
  tests: (robot: RobotProgram) => void,
  versions: ReadonlyArray<keyof typeof ROBOTS> = Object.keys(ROBOTS) as Array<keyof typeof ROBOTS>, // as: its own keys
): void {
  describeWith('mosquitto', MOSQUITTO, what, () => {
    useBroker();
    describe.each(versions.map((name) => [name, ROBOTS[name]] as const))('with %s', (name, robot) => {
      describeWith(name, robot.python, 'it', () => tests(robot));
    });
  });
}

/** One Mosquitto for all tests of a describe block; what a test has started ends with it. */
export function useBroker(): void {
  beforeAll(async () => {
    broker = await startMosquitto(['max_queued_messages 10000']); // as docs/mqtt.md advises
  });
  afterAll(() => broker.kill());
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    for (const caller of callers.splice(0)) caller.leave();
    const ended = robots.splice(0);
    await Promise.all(ended.map((robot) => robot.end()));
    expect(ended.flatMap(({ noise }) => noise)).toEqual([]);
  });
}

/** Starts a robot as robot-1. */
export function run(program: RobotProgram, environment: Record<string, string> = {}): PythonRobot {
  const password = { ROBOT_MQTT_PASSWORD: broker.password('robot-1') };
  const args = ['127.0.0.1', String(broker.port), 'robot-1'];
  const robot = new PythonRobot(program, args, { ...password, ...environment });
  robots.push(robot);
  return robot;
}

/** A caller of robot-1, in the place of the service. */
export async function join(): Promise<RobotCaller> {
  const caller = await RobotCaller.join(broker);
  callers.push(caller);
  return caller;
}

/** Starts a robot and waits until it is online. */
export async function start(program: RobotProgram, environment: Record<string, string> = {}) {
  const robot = run(program, environment);
  const caller = await join();
  await until('the robot is online', () => caller.presence?.online === true);
  return { robot, caller };
}

/** The fence number that the robot last told. */
export const fenceOf = ({ presence }: RobotCaller): number => presence?.fence ?? Number.NaN;
