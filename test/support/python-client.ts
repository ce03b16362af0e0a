import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './sources.ts';

export const PYTHON = '/usr/bin/python3';
/** The Python package robot_rest. */
export const CLIENT = join(ROOT, 'clients/python');

export interface Printed {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a program with the package; `stdout` grows as it prints. */
export function startPython(
  args: readonly string[],
  environment: Record<string, string> = {},
  { python = PYTHON, cwd = CLIENT }: { python?: string; cwd?: string } = {},
): { child: ChildProcess; said: { stdout: string; stderr: string }; ended: Promise<Printed> } {
  const env = { PATH: process.env.PATH, LANG: 'C.UTF-8', PYTHONPATH: join(CLIENT, 'src'), ...environment };
  const child = spawn(python, ['-B', '-W', 'error', ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text;
  });
  return { child, said, ended: once(child, 'close').then(([code]) => ({ code, ...said })) };
}

/** Runs a program to its end and gives what it printed. @throws with what it said when it fails. */
export async function runPython(...program: Parameters<typeof startPython>): Promise<string> {
  const { code, stdout, stderr } = await startPython(...program).ended;
  if (code !== 0) throw new Error(`${program[0].join(' ')} ended with ${code}:\n${stdout}\n${stderr}`);
  return stdout;
}

/** Runs those of the package's own tests whose file names fit. @returns what unittest says. */
export async function runPythonTests(pattern: string, environment: Record<string, string> = {}, python = PYTHON) {
  const args = ['-m', 'unittest', 'discover', '-s', 'tests', '-p', pattern];
  const { code, stderr } = await startPython(args, environment, { python }).ended;
  if (code !== 0) throw new Error(stderr);
  return stderr;
}

/** The programs in the README of the package, in their order. */
export function readmeBlocks(): string[] {
  const readme = readFileSync(join(CLIENT, 'README.md'), 'utf8');
  return [...readme.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}
