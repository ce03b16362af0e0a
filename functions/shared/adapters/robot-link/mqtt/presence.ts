import type * as z from 'zod';
import { argsSchema } from '../../../command-args.ts';
import type { CommandSpec } from '../port.ts';
import { CatalogueEntry, PresenceMessage, read } from './messages.ts';

/** An entry of a catalogue that is left out, and why. */
export interface CatalogueFault {
  /** JSON pointer into the presence message. */
  readonly pointer: string;
  readonly message: string;
}

/** What a robot says of itself, as far as it can be used. */
export interface Presence {
  readonly message: PresenceMessage;
  readonly catalogue: ReadonlyMap<string, CommandSpec>;
  readonly faults: readonly CatalogueFault[];
}

/** Largest presence message that is read, in bytes, and most commands in it. */
const MOST_BYTES = 64 * 1024;
const MOST_COMMANDS = 500;
/** Longest text of a robot that is passed on. */
export const LONGEST_TEXT = 300;
const NO_COMMANDS: ReadonlyMap<string, CommandSpec> = new Map();

/** Reads a presence message; undefined when the bytes are none. Entries of the catalogue that do not fit are left out. */
export function readPresence(payload: Buffer): Presence | undefined {
  const message = payload.length <= MOST_BYTES ? read(PresenceMessage, payload) : undefined;
  if (!message) return undefined;
  if (!message.online) return { message, catalogue: NO_COMMANDS, faults: [] };
  const catalogue = new Map<string, CommandSpec>();
  const faults: CatalogueFault[] = [];
  message.catalogue.slice(0, MOST_COMMANDS).forEach((entry, index) => {
    const fault = (path: readonly PropertyKey[], text: string) =>
      faults.push({
        pointer: ['', 'catalogue', index, ...path].map(String).join('/'),
        message: text.slice(0, LONGEST_TEXT),
      });
    const parsed = CatalogueEntry.safeParse(entry);
    if (!parsed.success) {
      for (const { path, message: text } of parsed.error.issues) fault(path, text);
      return;
    }
    const spec = parsed.data;
    const problem = argsProblem(spec);
    if (problem !== undefined) fault(['args'], problem);
    else if (catalogue.has(spec.name)) fault(['name'], `"${spec.name}" stands twice`);
    else catalogue.set(spec.name, { ...spec, title: spec.title.slice(0, LONGEST_TEXT) });
  });
  const { length } = message.catalogue;
  if (length > MOST_COMMANDS) {
    faults.push({
      pointer: `/catalogue/${MOST_COMMANDS}`,
      message: `only ${MOST_COMMANDS} of ${length} commands are taken`,
    });
  }
  return { message, catalogue, faults };
}

function argsProblem({ args }: z.output<typeof CatalogueEntry>): string | undefined {
  if (args === undefined) return undefined;
  try {
    argsSchema(args);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
