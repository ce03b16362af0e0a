import { type AccessLevel, isAtLeast } from '../access.ts';
import { ServiceError } from '../errors.ts';
import { type JsonObject, jsonPointer } from '../kit/json.ts';
import { messagesFor, unknownName } from '../pipeline/issue-messages.ts';
import { invalid } from '../pipeline/parse-input.ts';
import { argsSchema } from '../robot-link/command-args.ts';
import type { SandboxName } from './run.schema.ts';
import type { RunnableFunction, SkillSource } from './skill-source.port.ts';

/**
 * The function of a file that a request names, or its only one.
 * @throws ServiceError `validation_failed` (`/function`) if there are several and none is named; `skill_not_found`.
 */
export function chooseFunction(skill: string, source: SkillSource | undefined, name?: string): RunnableFunction {
  if (!source) {
    throw new ServiceError('skill_not_found', {
      detail: `There is no enabled skill "${skill}". GET /api/v2/skill/list/ lists all skills.`,
    });
  }
  const { functions } = source;
  const names = functions.map((each) => each.name).join(', ');
  if (name === undefined) {
    if (functions.length > 1) {
      throw invalid([{ pointer: '/function', message: `This file has several functions; name one of: ${names}.` }]);
    }
  }
  const found = name === undefined ? functions[0] : functions.find((each) => each.name === name);
  if (found) return found;
  const has = names === '' ? 'It has none.' : `It has: ${names}.`;
  throw new ServiceError('skill_not_found', {
    detail: `The skill "${skill}" has no function ${name === undefined ? 'with @skill' : `"${name}" with @skill`}. ${has}`,
  });
}

/** @throws ServiceError `insufficient_access` below the level of the decorator; an unknown one counts as ENCHANTER. */
export function assertMayRun(
  { name, accessLevel = 'USER' }: Pick<RunnableFunction, 'name' | 'accessLevel'>,
  level: AccessLevel,
): void {
  const needed = accessLevel === 'USER' || accessLevel === 'ADMIN' ? accessLevel : 'ENCHANTER';
  if (isAtLeast(level, needed)) return;
  throw new ServiceError('insufficient_access', {
    detail: `The skill function "${name}" needs access level ${needed}; the token has ${level}. GET /api/v2/auth/ gives one to an API key of that level.`,
  });
}

/** Runs that are started by a run, and by those in turn. */
const MAX_DEPTH = 4;

/**
 * How many runs another one is started through: each may start further ones, but a chain of them has to end.
 * @param parent the run that starts it, if one does.
 * @throws ServiceError `conflict`.
 */
export function depthBelow(parent: { readonly depth: number } | undefined): number {
  if (!parent) return 0;
  if (parent.depth < MAX_DEPTH) return parent.depth + 1;
  throw new ServiceError('conflict', {
    detail: `A run may start another one, and so on, ${MAX_DEPTH} times. Start this skill from outside of a run.`,
    members: { command_ran: 'no' },
  });
}

/** @throws ServiceError `component_unavailable` where a client with fixed addresses has no place of its own. */
export function assertPlace({ package: from }: RunnableFunction, sandbox: SandboxName): void {
  if (from === undefined || sandbox !== 'none') return;
  throw new ServiceError('component_unavailable', {
    detail: `Skills with the decorator of ${from} need a sandbox: its client uses a fixed socket in /tmp and fixed ports. Install bubblewrap (0.8 or newer) and restart the service.`,
  });
}

/** The last 100 runs are kept with theirs. */
const MAX_ARGS_BYTES = 64 * 1024;

/**
 * Checks arguments against the signature.
 * @param root where they stand in the request: `args` or `value`.
 * @throws ServiceError `validation_failed`.
 */
export function assertArguments({ args: schema }: RunnableFunction, args: JsonObject, root: string): void {
  if (Buffer.byteLength(JSON.stringify(args)) > MAX_ARGS_BYTES) {
    throw invalid([{ pointer: `/${root}`, message: 'The arguments of a run may have at most 64 KiB.' }]);
  }
  const { error } = argsSchema(withoutDefaults(schema)).safeParse(args, messagesFor('body', [root]));
  if (!error) return;
  throw invalid(
    error.issues.flatMap((issue) => {
      const path = [root, ...issue.path];
      if (issue.code !== 'unrecognized_keys') return [{ pointer: jsonPointer(path), message: issue.message }];
      return issue.keys.map((key) => ({
        pointer: jsonPointer([...path, key]),
        message: unknownName('body', issue.path, key, issue.message),
      }));
    }),
  );
}

const stripped = new WeakMap<JsonObject, JsonObject>();

/** Without defaults, which Python fills in: as compiled they would make every argument optional. */
function withoutDefaults(schema: JsonObject): JsonObject {
  let known = stripped.get(schema);
  if (!known) {
    const properties = Object.entries((schema.properties ?? {}) as JsonObject).map(([name, member]) => {
      const { default: _default, ...rest } = member as JsonObject; // as: the parser writes objects only
      return [name, rest] as const;
    });
    known = { ...schema, properties: Object.fromEntries(properties) };
    stripped.set(schema, known);
  }
  return known;
}
