import { spawn } from 'node:child_process';
import type { Config } from '../../config.ts';
import { ProcessGroup } from '../child-process/process-group.ts';
import { CHECK_SCRIPT } from './check-script.ts';

/** Longest time one source may take, start of the interpreter included, in ms. */
const TIME_LIMIT_MS = 5_000;
/** Most bytes of an answer that are read: 1000 functions with 2000 escaped characters each stay below. */
const OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;
/** Isolated, without site packages, writing no bytecode, silent about warnings in the source. */
const FLAGS = ['-I', '-S', '-B', '-W', 'ignore', '-c', CHECK_SCRIPT];

/** How one run ended: with a text, on its own without one, or by our hand because it took too long or said too much. */
export type Run =
  | { readonly end: 'exited'; readonly output: string }
  | { readonly end: 'killed'; readonly output: string }
  | { readonly end: 'not started'; readonly cause: Error };

/** Runs the check over one source in a process of its own. Rejects only with the reason of the signal. */
export function runCheck(config: Config, source: Buffer, signal: AbortSignal): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(config.SERVICE_SKILL_PYTHON, FLAGS, {
      cwd: '/',
      env: config.childEnvironment,
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true, // its own process group: an interpreter behind a wrapper script dies with the wrapper
    });
    const group = new ProcessGroup(child);
    const chunks: Buffer[] = [];
    let size = 0;
    let killed = false;
    const stop = () => {
      killed = true;
      group.kill();
    };
    const timer = setTimeout(stop, TIME_LIMIT_MS);
    signal.addEventListener('abort', stop, { once: true });
    const settle = (run: Run) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      if (signal.aborted) reject(signal.reason);
      else resolve(run);
    };
    const output = () => Buffer.concat(chunks).toString('utf8');
    child.once('error', (cause) => settle({ end: 'not started', cause }));
    child.once('close', (_status, death) => settle({ end: killed || death ? 'killed' : 'exited', output: output() }));
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > OUTPUT_LIMIT_BYTES) stop();
      else chunks.push(chunk);
    });
    child.stdin.on('error', () => {}); // it died before it had read everything; how it ended tells the rest
    child.stdin.end(source);
    if (signal.aborted) stop();
  });
}
