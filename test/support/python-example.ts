import { afterAll, afterEach, beforeAll, describe, expect } from '@jest/globals';
import { describeWith } from './components.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from './mosquitto.ts';
import { until } from './processes.ts';
import { PAHO, PythonRobot, RobotCaller } from './python-robot.ts';

/** The broker of the running tests. */
export let broker: TestBroker;
/** Robots to be ended after the test. */
export const robots: PythonRobot[] = [];
/** What else is to be closed after the test. */
export const closing: Array<() => Promise<void>> = [];
const callers: RobotCaller[] = [];

/** Tests of the example with each supported paho-mqtt, or with some of them, against a Mosquitto of their own. */
export function describeExample(
  what: string,
  tests: (python: string) => void,
  versions: ReadonlyArray<keyof typeof PAHO> = Object.keys(PAHO) as Array<keyof typeof PAHO>, // as: its own keys
): void {
  describeWith('mosquitto', MOSQUITTO, what, () => {
    useBroker();
    describe.each(versions.map((name) => [name, PAHO[name]] as const))('with %s', (name, python) => {
      describeWith(name, python, 'it', () => tests(python));
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

/** Starts the example as robot-1. */
export function run(python: string, environment: Record<string, string> = {}): PythonRobot {
  const password = { ROBOT_MQTT_PASSWORD: broker.password('robot-1') };
  const args = ['127.0.0.1', String(broker.port), 'robot-1'];
  const robot = new PythonRobot(python, args, { ...password, ...environment });
  robots.push(robot);
  return robot;
}

/** A caller of robot-1, in the place of the service. */
export async function join(): Promise<RobotCaller> {
  const caller = await RobotCaller.join(broker);
  callers.push(caller);
  return caller;
}

/** Starts the example and waits until it is online. */
export async function start(python: string, environment: Record<string, string> = {}) {
  const robot = run(python, environment);
  const caller = await join();
  await until('the robot is online', () => caller.presence?.online === true);
  return { robot, caller };
}

/** The fence number that the robot last told. */
export const fenceOf = ({ presence }: RobotCaller): number => presence?.fence ?? Number.NaN;
