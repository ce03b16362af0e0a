import { linkSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ownCommand } from '../../../build-info.ts';
import { codeOf } from '../../../kit/error-code.ts';
import { makePrivateFolder, sweepIfPossible, syncFolder, writeBeside } from '../../../kit/files/replace-file.ts';
import { type ReadFile, requirePrivate, WatchedFile } from '../../../kit/files/watched-file.ts';
import type { Logger } from '../../../observability/logger.ts';
import type { SigningKeys } from '../../signing-keys.port.ts';
import { KeyRing } from './key-ring.ts';
import { formatPem, newKey, type PemKey, parsePem } from './pem.ts';

/**
 * The signing keys of a PEM file, which is made when it is missing. The running service follows a change of the file
 * within a second and keeps the last valid keys while it is invalid.
 * @throws FileFault when the file holds no usable key or others may read it; a system error when it cannot be made.
 */
export function openKeyFile(path: string, logger: Logger, clock: () => number): SigningKeys {
  createKeyFile(path);
  sweepIfPossible(path);
  const file = new WatchedFile(path, {
    clock,
    parse: (read) => new KeyRing(keysOf(read)),
    onProblem: (problem) => {
      if (problem === undefined) logger.info('the signing-key file is valid again');
      else logger.error({ problem }, 'the signing-key file is invalid; keeping the last valid keys');
    },
  });
  return {
    current: (now) => file.value().current(now),
    published: (now) => file.value().published(now),
    publicKey: (kid, now) => file.value().publicKey(kid, now),
    problem: () => file.problem(),
  };
}

/** The keys of a file that nobody but its owner may read. @throws FileFault */
export function keysOf(file: ReadFile): PemKey[] {
  requirePrivate(
    file,
    `make it private with chmod 600 and, as it may have leaked, run "${ownCommand('jwt-key', 'rotate --now')}"`,
  );
  return parsePem(file.text);
}

/**
 * Makes the key file unless there is one. link(2) puts a complete file in place or fails, so that of two processes that
 * start at once exactly one makes the key, and nobody ever sees half of it.
 */
export function createKeyFile(path: string): void {
  while (!exists(path)) {
    makePrivateFolder(dirname(path));
    const temporary = writeBeside(path, formatPem([newKey()]));
    try {
      linkSync(temporary, path);
      syncFolder(path);
    } catch (error) {
      // EEXIST: another process was first. ENOENT: the clock jumped and another one took our file for a leftover.
      const code = codeOf(error);
      if (code !== 'EEXIST' && code !== 'ENOENT') throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
