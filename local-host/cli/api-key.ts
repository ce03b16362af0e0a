import { parseArgs } from 'node:util';
import { ACCESS_LEVELS, type AccessLevel } from '../../functions/shared/access.ts';
import { ownCommand } from '../../functions/shared/build-info.ts';
import { type Config, loadConfig } from '../../functions/shared/config.ts';
import { createKey, listKeys, revokeKey } from '../../functions/shared/identity/adapters/key-store/edit.ts';
import { keyFilePath } from '../../functions/shared/identity/adapters/key-store/file.ts';
import { keysInEnvironment } from '../../functions/shared/identity/adapters/key-store/open.ts';
import {
  revokeSocketTokens,
  socketGenerationPath,
} from '../../functions/shared/identity/adapters/revocations/socket-generation.ts';
import { ApiKeyRecord } from '../../functions/shared/identity/api-key-record.schema.ts';
import { LOCAL_KEY_ID } from '../../functions/shared/identity/claims.ts';
import { recordCommand } from './audit.ts';
import { CommandError, exitCodeOf, runIfMain, UsageError, warnIfUnused, withFileErrors } from './entry.ts';

const COMMAND = ownCommand('api-key');
const USAGE = `Usage:
  ${COMMAND} create --name NAME --level USER|ADMIN|ENCHANTER [--robots ID,ID] [--expires-at TIME]
  ${COMMAND} list
  ${COMMAND} revoke --id ID      ID "local": all tokens issued over the Unix socket
  ${COMMAND} --help | --version

NAME says whose key it is, at most 100 characters. --robots: of a fleet, the robots that the key opens; without it all.
--expires-at: when it ends, 2027-03-01T12:00:00Z for instance; without it never.
The settings of the service (SERVICE_…) must be the same here as there: they say where its data folder is.`;

/** Creates, lists and revokes API keys. `create` prints only the key on stdout; it cannot be shown again. */
export function main(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  return exitCodeOf(USAGE, argv, async () => {
    const [action, ...args] = argv;
    const prepare = action !== undefined && Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (!prepare) throw new UsageError(action === undefined ? 'Missing command.' : `Unknown command "${action}".`);
    const run = prepare(args);
    await run(loadConfig(environment).config);
  });
}

/** Parses its arguments right away and returns the function that does the work. */
type Action = (args: string[]) => (config: Config) => Promise<void>;
type KeyFileWork = (path: string, config: Config) => Promise<void>;

function onKeyFile(work: KeyFileWork) {
  return async (config: Config) => {
    if (keysInEnvironment(config)) {
      throw new CommandError(
        'The API keys come from SERVICE_API_KEYS; this command only edits the key file in the data folder.',
      );
    }
    const path = keyFilePath(config);
    await withFileErrors(path, () => work(path, config));
  };
}

const ACTIONS: Readonly<Record<string, Action>> = { create, list, revoke };

function create(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      name: { type: 'string' },
      level: { type: 'string' },
      robots: { type: 'string' },
      'expires-at': { type: 'string' },
    },
  });
  const name = required('name', values.name);
  if (name.length > 100) throw new UsageError('--name must be at most 100 characters.');
  const level = parseLevel(required('level', values.level));
  const robots = values.robots === undefined ? {} : { robots: parseRobots(values.robots) };
  const end = values['expires-at'] === undefined ? {} : { expires_at: parseEnd(values['expires-at']) };
  return onKeyFile(async (path, config) => {
    const { key, record } = await createKey(path, { name, level, ...robots, ...end });
    process.stderr.write(`Created key ${record.id} (${level}) in ${path}. It will not be shown again:\n`);
    process.stdout.write(`${key}\n`);
    await recordCommand(config, 'key.create', { id: record.id, name, level });
    warnIfUnused(config);
  });
}

function list(args: string[]) {
  parseArgs({ args, options: {} });
  return onKeyFile(async (path) => {
    process.stderr.write(`The keys in ${path}:\n`);
    for (const { sha256: _hidden, ...shown } of listKeys(path)) process.stdout.write(`${JSON.stringify(shown)}\n`);
  });
}

function revoke(args: string[]) {
  const { values } = parseArgs({ args, options: { id: { type: 'string' } } });
  const id = required('id', values.id);
  if (id === LOCAL_KEY_ID) return revokeLocal;
  return onKeyFile(async (path, config) => {
    const record = await revokeKey(path, id);
    if (!record) throw new CommandError(`No key has the id "${id}". Run "list" to see all keys.`);
    process.stderr.write(
      `Revoked key ${id} ("${record.name}") in ${path} at ${record.revoked_at}. Its tokens are no longer accepted.\n`,
    );
    await recordCommand(config, 'key.revoke', { id, name: record.name });
    warnIfUnused(config);
  });
}

async function revokeLocal(config: Config): Promise<void> {
  const path = socketGenerationPath(config);
  await withFileErrors(path, () => revokeSocketTokens(path));
  process.stderr.write(
    'Revoked all tokens that were issued over the Unix socket. Whoever may open the socket can get new ones; SERVICE_SOCKET_PATH and its group decide who may.\n',
  );
  await recordCommand(config, 'key.revoke', { id: LOCAL_KEY_ID });
  warnIfUnused(config);
}

function required(option: string, value: string | undefined): string {
  if (value === undefined || value === '') throw new UsageError(`--${option} is missing.`);
  return value;
}

function parseLevel(text: string): AccessLevel {
  const level = ACCESS_LEVELS.find((level) => level === text);
  if (!level) throw new UsageError(`--level must be one of ${ACCESS_LEVELS.join(', ')}.`);
  return level;
}

function parseEnd(text: string): string {
  const { success } = ApiKeyRecord.shape.expires_at.safeParse(text);
  if (success && Date.parse(text) > Date.now()) return text;
  throw new UsageError('--expires-at must be a time in the future, as in RFC 3339: 2027-03-01T12:00:00Z.');
}

function parseRobots(text: string): string[] {
  const robots = text.split(',').map((id) => id.trim());
  if (robots.every((id) => /^[A-Za-z0-9_.-]{1,64}$/.test(id))) return robots;
  throw new UsageError('--robots must be a comma-separated list of robot ids.');
}

await runIfMain(import.meta.url, main);
