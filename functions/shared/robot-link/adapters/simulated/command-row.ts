import type { JsonObject, JsonValue } from '../../../kit/json.ts';
import { DOCUMENTED_RESULTS } from '../../documented-results.ts';
import type { CommandKind, CommandSpec, RobotAnswer, Sender } from '../../port.ts';
import type { Waiting } from '../mission-book.ts';
import type { Pose } from './body.ts';
import type { RobotState } from './robot-state.ts';

interface ValueOf {
  coordinates: Pose;
  str: string;
  int: number;
  float: number;
  bool: boolean;
  dict: JsonObject;
  list: JsonValue[];
  none: undefined;
}

/** On whose behalf a command runs, and how long the answer is of use. */
export type Asking = { readonly sender: Sender; readonly waiting: Waiting };
type Run<V> = (robot: RobotState, value: V, asking: Asking) => RobotAnswer | Promise<RobotAnswer>;

/** A command of the simulated robot: its row in the catalogue, and what the robot does. */
export interface CommandRow {
  readonly spec: CommandSpec;
  readonly run: Run<unknown>;
}

type Marks = Partial<Pick<CommandSpec, 'bounds' | 'unit' | 'waits' | 'items' | 'motion' | 'replaces'>>;

/** A question that leaves the robot as it is. */
export const query = rows('query');
/** An order that changes it, marked `motion: true` where it moves the robot or changes how it moves. */
export const action = rows('action');

function rows(effect: CommandSpec['effect']) {
  return <K extends CommandKind>(
    kind: K,
    name: string,
    title: string,
    run: Run<ValueOf[K]>,
    marks: Marks = {},
  ): CommandRow => ({
    spec: { name, kind, title, effect, motion: false, ...DOCUMENTED_RESULTS[name], ...marks },
    run: run as Run<unknown>, // as: the sender has checked the value against the kind
  });
}
