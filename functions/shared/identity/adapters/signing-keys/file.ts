import { ownCommand } from '../../../build-info.ts';
import { createFileOnce, sweepIfPossible } from '../../../kit/files/replace-file.ts';
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

/** Makes the key file unless there is one. @throws system errors. */
export function createKeyFile(path: string): void {
  createFileOnce(path, () => formatPem([newKey()]));
}
