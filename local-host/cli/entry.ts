import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FileFault } from '../../functions/shared/adapters/files/watched-file.ts';
import { ConfigError } from '../../functions/shared/config.ts';

/** A command: what it was called with and in which environment, to its exit code. */
export type Command = (argv: readonly string[], environment: NodeJS.ProcessEnv) => Promise<number>;

/** The command was called in a way it does not understand; the message says what is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Runs the command when its file is the one node was started with, and not when another file imports it. */
export async function runAsEntry(moduleUrl: string, command: Command): Promise<void> {
  const [, script, ...argv] = process.argv;
  if (script === undefined || realpathSync(script) !== fileURLToPath(moduleUrl)) return;
  process.exitCode = await command(argv, process.env);
}

/**
 * Runs the work of a command. Exit code 0; 2 for a wrong call, with the usage; 1 for a setting or a file that cannot be
 * used, in one line. Whatever was not foreseen is thrown on.
 */
export async function outcome(usage: string, work: () => Promise<void>): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    if (isUsage(error)) {
      process.stderr.write(`${error.message}\n\n${usage}\n`);
      return 2;
    }
    if (!(error instanceof ConfigError || error instanceof CommandError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

/** The command could not do its work; the message says why in one line. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Names the file in whatever goes wrong with it. */
export async function naming<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FileFault) throw new CommandError(`${path}: ${error.message}`);
    // The texts of system errors name the file themselves.
    if (error instanceof Error && 'syscall' in error) throw new CommandError(error.message);
    throw error;
  }
}

/** Our own, or one of node's parseArgs. */
function isUsage(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}
