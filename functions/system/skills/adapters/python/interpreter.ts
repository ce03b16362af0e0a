import { spawn } from 'node:child_process';
import type { Config } from '../../../../shared/config.ts';
import { ProcessGroup } from '../../../../shared/kit/child-process/process-group.ts';
import { CHECK_SCRIPT } from './check-script.ts';

/** For one source, including the start of the interpreter. */
const TIME_LIMIT_MS = 5_000;
/** Enough for 1000 functions with 2000 escaped characters each. */
const OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;
/** Isolated, without site packages, without writing bytecode, without warnings about the source. */
const FLAGS = ['-I', '-S', '-B', '-W', 'ignore', '-c', CHECK_SCRIPT];

/** How a run ended. `killed` includes exceeding the time or output limit. */
export type Run =
  | { readonly end: 'exited'; readonly output: string }
  | { readonly end: 'killed'; readonly output: string }
  | { readonly end: 'not started'; readonly cause: Error };

/** Checks one source in a child process. Rejects only with the reason of the signal. */
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
    child.stdin.on('error', () => {}); // it exited before reading all input; the way it ended is what counts
    child.stdin.end(source);
    if (signal.aborted) stop();
  });
}
