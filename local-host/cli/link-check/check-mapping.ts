import { resolve } from 'node:path';
import { ConfigError } from '../../../functions/shared/config.ts';
import { UsageError } from '../entry.ts';
import type { Check } from './check.ts';
import { introduction } from './introduction.ts';
import { MAPPED_CHECKS } from './mapped-checks.ts';
import { type MappedBench, MappedRobot } from './mapped-robot.ts';
import { chooseMotion } from './motion.ts';
import { outcomeLines, summaryOf } from './report.ts';
import { runChecks } from './run-checks.ts';

interface Options {
  readonly yes: boolean;
  readonly move: string | undefined;
  readonly checks: ReadonlyArray<Check<MappedBench>>;
  readonly say: (text: string) => void;
  readonly unreachable: (why: string) => number;
  /** No check begins any more after this. */
  readonly signal: AbortSignal;
}

/** Checks a robot behind a rosbridge server, with its mapping. @returns the exit status */
export async function checkMapping(path: string, environment: NodeJS.ProcessEnv, options: Options): Promise<number> {
  const { yes, move, checks, say, unreachable, signal } = options;
  if (!/^wss?:/.test(environment.SERVICE_ROBOT_URL ?? ''))
    throw new UsageError(
      'With a mapping, SERVICE_ROBOT_URL must be the address of a rosbridge server, such as ws://robot:9090.',
    );
  let robot: MappedRobot;
  try {
    robot = await MappedRobot.open(resolve(path), environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [check] = MAPPED_CHECKS;
    if (check) say(outcomeLines({ check, faults: [error.message] }));
    return 1;
  }
  try {
    if (!(await robot.connected())) return unreachable('The rosbridge server at SERVICE_ROBOT_URL cannot be reached.');
    const motion = yes ? chooseMotion(robot.catalogue, move) : undefined;
    const has = (name: string) => checks.some((check) => check.name === name);
    const movements = { yes, motion: has('stop-busy') ? motion : undefined, byHand: has('jog') && !!robot.jog };
    say(introduction(path, movements));
    const tell = (outcome: Parameters<typeof outcomeLines>[0]) => say(outcomeLines(outcome));
    const outcomes = await runChecks(checks, { robot, motion }, { mayMove: yes, tell, signal });
    say(summaryOf(outcomes, 'docs/rosbridge.md'));
    return outcomes.some(({ faults }) => faults.length > 0) ? 1 : 0;
  } finally {
    await robot.close();
  }
}
