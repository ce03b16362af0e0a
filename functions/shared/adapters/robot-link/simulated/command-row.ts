import type { JsonObject, JsonValue } from '../../../json.ts';
import type { CommandKind, CommandSpec, Sender } from '../port.ts';
import type { Pose } from './body.ts';
import type { Waiting } from './missions.ts';
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
type Run<V> = (robot: RobotState, value: V, asking: Asking) => JsonValue | Promise<JsonValue>;

/** A command of the simulated robot: its row in the catalogue, and what the robot does. */
export interface CommandRow {
  readonly spec: CommandSpec;
  readonly run: Run<unknown>;
}

type Marks = Partial<Pick<CommandSpec, 'bounds' | 'unit' | 'waits' | 'items' | 'motion'>>;

/** A question that leaves the robot as it is. */
export function query<K extends CommandKind>(
  kind: K,
  name: string,
  title: string,
  run: Run<ValueOf[K]>,
  marks: Marks = {},
): CommandRow {
  return row({ name, kind, title, effect: 'query', motion: false, ...marks }, run);
}

/** An order that changes it, marked `motion: true` where it moves the robot or changes how it moves. */
export function action<K extends CommandKind>(
  kind: K,
  name: string,
  title: string,
  run: Run<ValueOf[K]>,
  marks: Marks = {},
): CommandRow {
  return row({ name, kind, title, effect: 'action', motion: false, ...marks }, run);
}

function row(spec: CommandSpec, run: Run<never>): CommandRow {
  return { spec, run: run as Run<unknown> }; // as: who sends has checked the value against the kind
}
