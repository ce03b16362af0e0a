import { jsonPointer } from '../../../kit/json.ts';
import { messagesFor } from '../../../pipeline/issue-messages.ts';
import { CommandSpec } from '../../catalogue.schema.ts';
import { argsSchema } from '../../command-args.ts';
import { commandNameProblem } from '../../command-name.ts';
import { motionOf } from '../../port.ts';
import { PresenceMessage, read } from './messages.ts';

/** A catalogue entry that is ignored, and why. */
interface CatalogueFault {
  /** JSON pointer into the presence message. */
  readonly pointer: string;
  readonly message: string;
}

/** The valid parts of a presence message. */
export interface Presence {
  readonly message: PresenceMessage;
  readonly catalogue: ReadonlyMap<string, CommandSpec>;
  readonly faults: readonly CatalogueFault[];
}

/** Maximum size of a presence message in bytes, and maximum number of commands in it. */
export const MAX_BYTES = 64 * 1024;
const MAX_COMMANDS = 500;
/** Maximum length of a text from a robot. */
export const MAX_TEXT_LENGTH = 300;
const NO_COMMANDS: ReadonlyMap<string, CommandSpec> = new Map();

/** Parses a presence message; undefined if it is not one. Invalid catalogue entries are left out. */
export function readPresence(payload: Buffer): Presence | undefined {
  const message = payload.length <= MAX_BYTES ? read(PresenceMessage, payload) : undefined;
  if (!message) return undefined;
  if (!message.online) return { message, catalogue: NO_COMMANDS, faults: [] };
  const catalogue = new Map<string, CommandSpec>();
  const faults: CatalogueFault[] = [];
  message.catalogue.slice(0, MAX_COMMANDS).forEach((entry, index) => {
    const fault = (path: readonly PropertyKey[], text: string) =>
      faults.push({ pointer: jsonPointer(['catalogue', index, ...path]), message: text.slice(0, MAX_TEXT_LENGTH) });
    const parsed = CommandSpec.safeParse(entry, messagesFor('document'));
    if (!parsed.success) {
      for (const { path, message: text } of parsed.error.issues) fault(path, text);
      return;
    }
    const spec = parsed.data;
    const problem = argsProblem(spec);
    const unusable = commandNameProblem(spec.name);
    if (unusable !== undefined) fault(['name'], unusable);
    else if (problem !== undefined) fault(['args'], problem);
    else if (catalogue.has(spec.name)) fault(['name'], `"${spec.name}" is listed twice`);
    else catalogue.set(spec.name, { ...spec, ...motionMark(spec), title: spec.title.slice(0, MAX_TEXT_LENGTH) });
  });
  const { length } = message.catalogue;
  if (length > MAX_COMMANDS) {
    faults.push({
      pointer: `/catalogue/${MAX_COMMANDS}`,
      message: `only ${MAX_COMMANDS} of ${length} commands are taken`,
    });
  }
  return { message, catalogue, faults };
}

function motionMark(spec: CommandSpec): Pick<CommandSpec, 'motion'> {
  const motion = motionOf(spec);
  return motion === undefined ? {} : { motion };
}

function argsProblem({ args }: CommandSpec): string | undefined {
  if (args === undefined) return undefined;
  try {
    argsSchema(args);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
