import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BUILD } from '../../functions/shared/build-info.ts';
import { type Config, ConfigError } from '../../functions/shared/config.ts';
import { isFolderInUse } from '../../functions/shared/kit/files/folder-users.ts';
import { FileFault } from '../../functions/shared/kit/files/watched-file.ts';

/** A CLI command: takes its arguments and environment, and resolves with its exit code. */
export type Command = (argv: readonly string[], environment: NodeJS.ProcessEnv) => Promise<number>;

/** The command line is invalid; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Runs the command if its file is the program's entry point, and does nothing if it was imported. */
export async function runIfMain(moduleUrl: string, command: Command): Promise<void> {
  const [, script, ...argv] = process.argv;
  if (script === undefined || realpathSync(script) !== fileURLToPath(moduleUrl)) return;
  process.exitCode = await command(argv, process.env);
}

/**
 * Runs the work of a command and returns its exit code: 0 on success; 2 with the usage text for an invalid command
 * line; 1 with a one-line message for an invalid setting or file. Unexpected errors are rethrown. With `--help` it
 * prints the usage text instead, with `--version` the build.
 */
export async function exitCodeOf(usage: string, argv: readonly string[], work: () => Promise<void>): Promise<number> {
  try {
    const asked = argv.find((argument) => ['--help', '-h', '--version'].includes(argument));
    if (asked === undefined) await work();
    else process.stdout.write(`${asked === '--version' ? `robot-rest ${BUILD}` : usage}\n`);
    return 0;
  } catch (error) {
    if (isUsageError(error)) {
      process.stderr.write(`${error.message}\n\n${usage}\n`);
      return 2;
    }
    if (!(error instanceof ConfigError || error instanceof CommandError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

/** The command failed; the message says why in one line. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Turns errors about the file into a {@link CommandError} that names it. */
export async function withFileErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FileFault) throw new CommandError(`${path}: ${error.message}`);
    // Messages of system errors already contain the path.
    if (error instanceof Error && 'syscall' in error) throw new CommandError(error.message);
    throw error;
  }
}

/** Says on stderr when no service works with the data folder that was changed: often another one was meant. */
export function warnIfUnused({ SERVICE_DATA_DIR }: Config): void {
  if (isFolderInUse(SERVICE_DATA_DIR) !== false) return;
  process.stderr.write(
    `Warning: no running service uses ${SERVICE_DATA_DIR}. If one should, run this as its user and with its settings (SERVICE_DATA_DIR); on an installed robot, "sudo robot-rest-admin" does.\n`,
  );
}

/** Our own usage error, or one from Node's parseArgs. */
function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}
