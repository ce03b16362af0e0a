import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { buildSync } from 'esbuild';
import { ROOT } from './sources.ts';

/** Inside the project, so that what is bundled finds the native module. */
const CACHE = join(ROOT, 'node_modules', '.cache');

/** Code to program: a test that starts the same lines again pays for one bundle. */
const programs = new Map<string, string>();
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The path of a source file, for an import inside {@link startModule}. */
export function sourcePath(path: string): string {
  return join(ROOT, path);
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  /** What it has written to stdout so far. */
  stdout(): string;
  readonly ended: Promise<Ended>;
}

/**
 * Starts a few lines of module code on the TypeScript sources, in a process of their own that sees only these settings.
 * They are bundled first, since compiling at each start takes seconds where a bundle takes a tenth of one.
 */
export function startModule(code: string, environment: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, [programOf(code)], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const heard = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => {
    heard.stdout += text.toString();
  });
  child.stderr.on('data', (text: Buffer) => {
    heard.stderr += text.toString();
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject).on('close', (code, signal) => resolve({ code, signal, ...heard }));
  });
  return { child, stdout: () => heard.stdout, ended };
}

/** Bundles a few lines of module code with the sources they import. @returns the program, removed after the tests of the file. */
export function programOf(code: string): string {
  const known = programs.get(code);
  if (known !== undefined) return known;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'run-source-'));
  folders.push(folder);
  buildSync({
    stdin: { contents: code, resolveDir: ROOT, loader: 'ts' },
    entryPoints: { 'database-thread': sourcePath('functions/database/adapters/sqlite/thread.ts') },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['better-sqlite3', 'cpu-features', '*.node'],
    banner: {
      js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url),__dirname=import.meta.dirname;",
    },
    outdir: folder,
    logLevel: 'error',
  });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const program = join(folder, 'stdin.js');
  programs.set(code, program);
  return program;
}
