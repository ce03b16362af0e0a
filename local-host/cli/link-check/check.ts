import type { Bench } from './bench.ts';

/** One rule of docs/mqtt.md that a robot is checked against. */
export interface Check {
  readonly name: string;
  readonly title: string;
  /** Whether it moves the robot, or may move one that breaks the rule. */
  readonly moves: boolean;
  /** What is wrong, each with what to mend. @throws NotChecked */
  readonly run: (bench: Bench) => Promise<readonly string[]>;
}
