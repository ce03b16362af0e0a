import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Config } from '../../../config.ts';
import { isDiskFull } from '../../../kit/error-code.ts';
import { replaceFile } from '../../../kit/files/replace-file.ts';
import { hasSpare, keepSpare, replaceFromSpare } from '../../../kit/files/spare-file.ts';
import { FileFault, WatchedFile } from '../../../kit/files/watched-file.ts';
import { withLock } from '../../../kit/files/with-lock.ts';
import type { Logger } from '../../../observability/logger.ts';

const Kept = z.strictObject({ generation: z.string().regex(/^[A-Za-z0-9_-]{0,16}$/) });

/** Path of the file that says which tokens of the Unix socket are good. */
export function socketGenerationPath({ SERVICE_DATA_DIR }: Config): string {
  return join(SERVICE_DATA_DIR, 'socket-tokens.json');
}

/**
 * Follows the file within a second. One that is invalid at the start ends every token from before.
 * @returns a function that gives the present generation.
 */
export function openSocketGeneration(path: string, logger: Logger, clock: () => number): () => string {
  const file = new WatchedFile(path, {
    clock,
    parse: ({ text }) => parse(text),
    fallback: existsSync(path) ? newGeneration() : '',
    onProblem: (problem) => {
      if (problem === undefined) logger.info('socket-tokens.json is valid again');
      else logger.error({ problem }, 'socket-tokens.json is invalid; earlier tokens of the Unix socket are refused');
    },
  });
  return () => file.value();
}

/**
 * Makes the file and what {@link revokeSocketTokens} needs on a full disk, where they are missing and the disk takes
 * them.
 */
export async function prepareSocketGeneration(path: string): Promise<void> {
  if (existsSync(path) && hasSpare(path)) return;
  await withLock(path, () => {
    if (!existsSync(path)) replaceFile(path, format(''));
    keepSpare(path);
  }).catch(() => undefined); // full or read-only: tokens work without
}

/** Ends every token minted over the Unix socket until now. Needs no room on the disk. @throws system errors. */
export function revokeSocketTokens(path: string): Promise<void> {
  return withLock(path, () => {
    const text = format(newGeneration());
    try {
      replaceFile(path, text);
      keepSpare(path);
    } catch (error) {
      if (!isDiskFull(error) || !(existsSync(path) && replaceFromSpare(path, text))) throw error;
    }
  });
}

function newGeneration(): string {
  return randomBytes(6).toString('base64url');
}

/** Always of the same length, so that it fits into the spare. */
function format(generation: string): string {
  return `${JSON.stringify({ generation }).padEnd(31)}\n`;
}

/** @throws FileFault */
function parse(text: string): string {
  try {
    return Kept.parse(JSON.parse(text)).generation;
  } catch (error) {
    throw new FileFault('it does not hold a generation', { cause: error });
  }
}
