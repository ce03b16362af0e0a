import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const PROGRAM_LIMIT = { maxBuffer: 16 * 1024 * 1024 };

/** Runs Node and gives what it printed. @throws with what it said when it fails. */
export async function runNode(args: readonly string[], cwd: string, environment: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH, ...environment };
  const options = { cwd, env, ...PROGRAM_LIMIT };
  const { stdout } = await promisify(execFile)(process.execPath, args, options).catch((error) => {
    throw new Error(`${error.message}\n${error.stdout}`);
  });
  return stdout;
}
