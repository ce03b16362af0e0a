import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, linkSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../../../functions/shared/kit/error-code.ts';
import { CommandError } from '../entry.ts';
import type { Call } from './socket-client.ts';

/**
 * Writes a download to a new file (0600), or to stdout without a name. The file is there when all of it is; one that
 * exists is never replaced. @throws CommandError
 */
export async function save(source: Readable, path: string | undefined): Promise<void> {
  if (path === undefined) return copyOut(source);
  if (existsSync(path)) {
    source.destroy(); // otherwise its connection keeps the process alive
    throw existing(path);
  }
  const unfinished = join(dirname(path), `.robot-rest-${randomUUID()}.part`);
  try {
    await pipeline(source, createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true }));
    linkSync(unfinished, path);
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? existing(path) : failed(`Could not save ${path}`, error);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Copies to stdout. */
export async function copyOut(source: Readable): Promise<void> {
  try {
    await pipeline(source, process.stdout, { end: false });
  } catch (error) {
    if (codeOf(error) !== 'EPIPE') throw failed('The answer was cut off', error); // `| head` has seen enough
  }
}

/** A file as the body of an upload. @throws CommandError */
export async function upload(path: string, type: string): Promise<Pick<Call, 'stream' | 'headers'>> {
  try {
    await (await open(path)).close();
    const stats = statSync(path);
    if (!stats.isFile()) throw new CommandError(`${path} is not a file.`);
    return {
      stream: createReadStream(path),
      headers: { 'content-type': type, 'content-length': String(stats.size) },
    };
  } catch (error) {
    throw error instanceof CommandError ? error : failed(`Could not read ${path}`, error);
  }
}

const existing = (path: string) => new CommandError(`${path} exists already; choose another name.`);

function failed(what: string, error: unknown): CommandError {
  return new CommandError(`${what} (${codeOf(error) ?? (error instanceof Error ? error.message : 'unknown reason')}).`);
}
