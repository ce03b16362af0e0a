import { parseArgs } from 'node:util';
import { ACCESS_LEVELS, type AccessLevel } from '../../functions/shared/access.ts';
import { createKey, listKeys, revokeKey } from '../../functions/shared/adapters/key-store/edit.ts';
import { keyFilePath } from '../../functions/shared/adapters/key-store/file.ts';
import { keysInEnvironment } from '../../functions/shared/adapters/key-store/open.ts';
import { type Config, loadConfig } from '../../functions/shared/config.ts';
import { recordCommand } from './audit.ts';
import { CommandError, naming, outcome, runAsEntry, UsageError } from './entry.ts';

const USAGE = `Usage:
  npm run --silent api-key -- create --name NAME --level USER|ADMIN|ENCHANTER [--robots ID,ID]
  npm run --silent api-key -- list
  npm run --silent api-key -- revoke --id ID`;

/** Makes, lists and revokes API keys. `create` prints the key alone on stdout; it is shown this once. */
export function main(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  return outcome(USAGE, async () => {
    const [action, ...args] = argv;
    const work = action !== undefined && Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (!work) throw new UsageError(action === undefined ? 'Say what to do.' : `There is no "${action}".`);
    const run = work(args);
    const { config } = loadConfig(environment);
    if (keysInEnvironment(config)) {
      throw new CommandError(
        'The API keys come from SERVICE_API_KEYS; this command edits the file of the data folder only.',
      );
    }
    const path = keyFilePath(config);
    await naming(path, () => run(path, config));
  });
}

/** Reads its arguments at once, then works on the key file. */
type Action = (args: string[]) => (path: string, config: Config) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = { create, list, revoke };

function create(args: string[]) {
  const { values } = parseArgs({
    args,
    options: { name: { type: 'string' }, level: { type: 'string' }, robots: { type: 'string' } },
  });
  const name = required('name', values.name);
  if (name.length > 100) throw new UsageError('--name may have at most 100 characters.');
  const level = levelOf(required('level', values.level));
  const robots = values.robots === undefined ? {} : { robots: robotsOf(values.robots) };
  return async (path: string, config: Config) => {
    const { key, record } = await createKey(path, { name, level, ...robots });
    process.stderr.write(`Key ${record.id} (${level}) was made. This is the only time it is shown:\n`);
    process.stdout.write(`${key}\n`);
    await recordCommand(config, 'key.create', { id: record.id, name, level });
  };
}

function list(args: string[]) {
  parseArgs({ args, options: {} });
  return async (path: string) => {
    for (const { sha256: _hidden, ...shown } of listKeys(path)) process.stdout.write(`${JSON.stringify(shown)}\n`);
  };
}

function revoke(args: string[]) {
  const { values } = parseArgs({ args, options: { id: { type: 'string' } } });
  const id = required('id', values.id);
  return async (path: string, config: Config) => {
    const record = await revokeKey(path, id);
    if (!record) throw new CommandError(`There is no key with the id "${id}"; "list" shows them all.`);
    process.stderr.write(
      `Key ${id} ("${record.name}") is revoked since ${record.revoked_at}; its tokens are refused.\n`,
    );
    await recordCommand(config, 'key.revoke', { id, name: record.name });
  };
}

function required(option: string, value: string | undefined): string {
  if (value === undefined || value === '') throw new UsageError(`--${option} is missing.`);
  return value;
}

function levelOf(text: string): AccessLevel {
  const level = ACCESS_LEVELS.find((level) => level === text);
  if (!level) throw new UsageError(`--level is one of ${ACCESS_LEVELS.join(', ')}.`);
  return level;
}

function robotsOf(text: string): string[] {
  const robots = text.split(',').map((id) => id.trim());
  if (robots.every((id) => /^[A-Za-z0-9_.-]{1,64}$/.test(id))) return robots;
  throw new UsageError('--robots is a list of robot ids, separated by commas.');
}

await runAsEntry(import.meta.url, main);
