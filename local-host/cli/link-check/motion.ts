import { assertValueInBounds, valueFor as checkedValue } from '../../../functions/commands/command-value.ts';
import { ServiceError } from '../../../functions/shared/errors.ts';
import type { JsonValue } from '../../../functions/shared/kit/json.ts';
import type { CommandSpec } from '../../../functions/shared/robot-link/catalogue.schema.ts';
import { motionOf } from '../../../functions/shared/robot-link/port.ts';
import { CommandError, UsageError } from '../entry.ts';

/** A command that moves the robot, with the value it is called with. */
export interface Motion {
  readonly command: string;
  readonly value: JsonValue | undefined;
  /** It cancels the one under way. */
  readonly replaces: boolean;
  /** It continues when the link is lost. */
  readonly finishes: boolean;
}

const DRIVES = ['go_to_relative', 'go_to_absolute'];
const AHEAD = { x: 0.5, y: 0, z: 0, theta: 0 };

/**
 * The motion that the checks use: `NAME` or `NAME=JSON` of --move, or else one that the catalogue has an example of.
 * @throws UsageError, CommandError if the robot has no such command.
 */
export function chooseMotion(
  catalogue: ReadonlyMap<string, CommandSpec>,
  wish: string | undefined,
): Motion | undefined {
  const movers = [...catalogue.values()].filter((spec) => motionOf(spec) === true && spec.name !== 'skill');
  if (wish === undefined) {
    const ordered = [...movers].sort((one, other) => rank(one) - rank(other));
    const found = ordered.find((spec) => spec.kind === 'none' || valueFor(spec) !== undefined);
    return found && motionFrom(found, valueFor(found));
  }
  const [, name = '', json] = /^([^=]+)(?:=(.*))?$/s.exec(wish) ?? [];
  const spec = catalogue.get(name);
  if (!spec) throw new CommandError(`--move: the robot has no command "${name}".`);
  return motionFrom(spec, json === undefined ? (valueFor(spec) ?? emptyFor(spec)) : parsed(spec, json));
}

/** @throws UsageError for what is no JSON, or no value of this command: the robot would refuse it rightly. */
function parsed(spec: CommandSpec, json: string): JsonValue | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(json);
  } catch {
    throw new UsageError('--move: the value must be JSON, for instance \'go_to_relative={"x":0.5}\'.');
  }
  return assertFits(spec, value);
}

/** What a command is called with where no value is given and none is known. @throws UsageError where it needs one */
function emptyFor(spec: CommandSpec): JsonValue | undefined {
  return spec.kind === 'none' ? undefined : assertFits(spec, spec.kind === 'dict' ? {} : undefined);
}

function assertFits(spec: CommandSpec, given: JsonValue | undefined): JsonValue | undefined {
  try {
    const value = checkedValue(spec, given);
    if (value !== undefined) assertValueInBounds(spec, value);
    return value;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const [fault] = error.errors ?? [];
    const why = fault?.message ?? error.message;
    throw new UsageError(`--move ${spec.name}: ${why} Name its value: --move '${spec.name}=JSON'.`);
  }
}

function motionFrom(spec: CommandSpec, value: JsonValue | undefined): Motion {
  const whole = spec.kind === 'coordinates' ? { ...AHEAD, x: 0, ...(value as object) } : value; // as: of that kind
  const replaces = spec.replaces === true || DRIVES.includes(spec.name);
  return { command: spec.name, value: whole, replaces, finishes: spec.on_lapse === 'finish' };
}

/** Lower ones come first: drives, then what replaces, then what has an example. */
function rank(spec: CommandSpec): number {
  if (DRIVES.includes(spec.name)) return DRIVES.indexOf(spec.name);
  return (spec.replaces ? 2 : 4) + (spec.on_lapse === 'finish' ? 1 : 0) + (valueFor(spec) === undefined ? 2 : 0);
}

function valueFor({ name, kind, examples }: CommandSpec): JsonValue | undefined {
  if (name === 'go_to_relative') return AHEAD;
  if (kind === 'none') return undefined;
  return examples?.find(({ value }) => value !== undefined)?.value;
}
