import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { describe } from '@jest/globals';

/** Where test/setup-components.sh puts what the suites of test/outside run. */
export const TOOLS = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'robot-rest', 'outside');

const run = promisify(execFile);

/** Where this machine has a program, if it has it. */
export function programPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** A suite that needs a toolchain, and tools out of {@link TOOLS}. It is skipped, by name, where one of them is missing. */
export function describeOutside(
  needs: { readonly toolchain?: string; readonly tools: readonly string[] },
  name: string,
  suite: () => void,
): void {
  const { toolchain, tools } = needs;
  const missing = tools.filter((path) => !existsSync(join(TOOLS, path)));
  if (toolchain !== undefined && programPath(toolchain) === undefined) missing.unshift(toolchain);
  if (missing.length === 0) describe(name, suite);
  else describe.skip(`${name} (skipped: ${missing.join(', ')} is missing, see test/setup-components.sh)`, suite);
}

/** Runs a program to its end. What it says in vain stands in the error. */
export async function runTool(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  try {
    const { stdout } = await run(program, [...args], {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: { ...process.env, ...options.env },
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${message}\n${stdout.slice(-6000)}\n${stderr.slice(-6000)}`);
  }
}
