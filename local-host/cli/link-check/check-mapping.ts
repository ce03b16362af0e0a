import { resolve } from 'node:path';
import { ConfigError } from '../../../functions/shared/config.ts';
import { UsageError } from '../entry.ts';
import type { Check } from './check.ts';
import { introduction } from './introduction.ts';
import { MappedRobot } from './mapped-robot.ts';
import { chooseMotion } from './motion.ts';
import { outcomeLines, summaryOf } from './report.ts';
import type { Outcome } from './run-checks.ts';

const TITLES = {
  mapping: 'The mapping fits the robot',
  answers: 'Its queries answer as its catalogue says',
  stop: 'A stop is confirmed',
  'stop-busy': 'A stop ends the motion under way before it is confirmed',
  jog: 'Driven by hand, its base stands when the velocities cease',
} as const;

interface Options {
  readonly yes: boolean;
  readonly move: string | undefined;
  readonly say: (text: string) => void;
  readonly unreachable: (why: string) => number;
}

/** Checks a robot behind a rosbridge server, with its mapping. @returns the exit status */
export async function checkMapping(path: string, environment: NodeJS.ProcessEnv, options: Options): Promise<number> {
  const { yes, move, say, unreachable } = options;
  if (!/^wss?:/.test(environment.SERVICE_ROBOT_URL ?? ''))
    throw new UsageError(
      'With a mapping, SERVICE_ROBOT_URL must be the address of a rosbridge server, such as ws://robot:9090.',
    );
  let robot: MappedRobot;
  try {
    robot = await MappedRobot.open(resolve(path), environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    say(outcomeLines({ check: named('mapping'), faults: [error.message] }));
    return 1;
  }
  try {
    if (!(await robot.connected())) return unreachable('The rosbridge server at SERVICE_ROBOT_URL cannot be reached.');
    const motion = yes ? chooseMotion(robot.catalogue, move) : undefined;
    say(introduction(path, { yes, motion, byHand: robot.canJog }));
    const outcomes: Outcome[] = [];
    const tell = (outcome: Outcome) => {
      outcomes.push(outcome);
      say(outcomeLines(outcome));
    };
    tell({ check: named('mapping'), faults: robot.mapping() });
    tell({ check: named('answers'), faults: await robot.answers() });
    tell({ check: named('stop'), faults: await robot.stop() });
    tell(motion ? { check: named('stop-busy'), faults: await robot.stopBusy(motion) } : left('stop-busy', UNMOVED));
    const jog = yes ? await robot.jog() : undefined;
    tell(jog ? { check: named('jog'), faults: jog } : left('jog', yes ? 'The mapping has no "jog".' : UNMOVED));
    say(summaryOf(outcomes));
    return outcomes.some(({ faults }) => faults.length > 0) ? 1 : 0;
  } finally {
    await robot.close();
  }
}

const UNMOVED = 'It moves the robot: add --yes, and --move NAME=JSON where the catalogue has no example.';
const named = (name: keyof typeof TITLES): Pick<Check, 'name' | 'title'> => ({ name, title: TITLES[name] });
const left = (name: keyof typeof TITLES, notChecked: string): Outcome => ({
  check: named(name),
  faults: [],
  notChecked,
});
