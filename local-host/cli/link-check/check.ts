import type { Bench } from './bench.ts';

/** One rule that a robot is checked against: of docs/mqtt.md, or of docs/rosbridge.md. */
export interface Check<On = Bench> {
  readonly name: string;
  readonly title: string;
  /** Whether it moves the robot, or may move one that breaks the rule. */
  readonly moves: boolean;
  /** What is wrong, each with what to mend. @throws NotChecked */
  readonly run: (bench: On) => Promise<readonly string[]>;
}
