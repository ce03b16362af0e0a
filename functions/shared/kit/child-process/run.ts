import { finished } from 'node:stream/promises';
import { CommandFailure, type Exit, type Running } from './running.ts';
import { type StartOptions, start } from './start.ts';

export interface Finished extends Exit {
  readonly stdout: string;
}

/** Most bytes a short command may say. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/**
 * Runs a program to its end and gives what it said.
 * @throws CommandFailure when it cannot be run, takes too long or says too much; the reason of the signal.
 */
export async function run(words: readonly [string, ...string[]], options: StartOptions): Promise<Finished> {
  return collect(start(words, options), words[0]);
}

/** What a running command says until its end. @throws as {@link run}. */
export async function collect(
  running: Running,
  program: string,
  maxBytes: number = MAX_OUTPUT_BYTES,
): Promise<Finished> {
  const chunks: Buffer[] = [];
  let size = 0;
  let excess: CommandFailure | undefined;
  running.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
    else if (!excess) {
      excess = new CommandFailure('output-cap', `"${program}" said more than ${maxBytes} bytes`);
      running.stop();
    }
  });
  await finished(running.stdout).catch(() => {}); // when it broke off, the exit says why
  const exit = await running.exit;
  if (excess) throw excess;
  return { ...exit, stdout: Buffer.concat(chunks).toString('utf8') };
}
