import { spawn } from 'node:child_process';
import * as z from 'zod';

const TIME_LIMIT_MS = 20_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/** The user that a run belongs to; undefined: the user of the service. */
export interface RunUser {
  readonly uid: number;
  readonly gid: number;
}

/** The Python that runs the skills. */
export interface Interpreter {
  readonly path: string;
  /** What it needs outside of /usr. */
  readonly folders: readonly string[];
}

const QUESTION = `
import json, os, site, sys
given = [sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(os.path.realpath(sys.executable))]
folders = {os.path.abspath(folder) for folder in given + site.getsitepackages() if os.path.isdir(folder)}
print(json.dumps({"path": sys.executable, "folders": sorted(folders)}))
`;
const Answer = z.object({ path: z.string().startsWith('/'), folders: z.array(z.string().startsWith('/')) });

/** Asks an interpreter where it lives, as the user who will run it. @returns undefined if that user cannot run it. */
export async function findInterpreter(
  python: string,
  path: string,
  user: RunUser | undefined,
): Promise<Interpreter | undefined> {
  const { code, stdout } = await ask([python, '-I', '-B', '-c', QUESTION], { PATH: path }, user);
  if (code !== 0) return undefined;
  try {
    const answer = Answer.parse(JSON.parse(stdout));
    return { path: answer.path, folders: outermost(answer.folders.filter((folder) => !isWithin(folder, '/usr'))) };
  } catch {
    return undefined;
  }
}

/** Runs a short program to its end, as a user. Never rejects. */
export function ask(
  words: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
  user: RunUser | undefined,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    const [program, ...args] = words;
    let stdout = '';
    let stderr = '';
    const settle = (code: number | null) => resolve({ code, stdout, stderr });
    try {
      const child = spawn(program, args, { cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'], ...user });
      const timer = setTimeout(() => child.kill('SIGKILL'), TIME_LIMIT_MS);
      child.stdout.on('data', (chunk: Buffer) => {
        if (stdout.length < MAX_OUTPUT_BYTES) stdout += chunk.toString('utf8');
      });
      child.stderr.on('data', (chunk: Buffer) => {
        if (stderr.length < MAX_OUTPUT_BYTES) stderr += chunk.toString('utf8');
      });
      child.once('error', (error) => {
        clearTimeout(timer);
        stderr = error.message;
        settle(null);
      });
      child.once('close', (code) => {
        clearTimeout(timer);
        settle(code);
      });
    } catch (error) {
      stderr = error instanceof Error ? error.message : String(error);
      settle(null);
    }
  });
}

function outermost(folders: readonly string[]): string[] {
  return folders.filter((folder) => !folders.some((other) => other !== folder && isWithin(folder, other)));
}

function isWithin(folder: string, other: string): boolean {
  return folder === other || folder.startsWith(`${other}/`);
}
