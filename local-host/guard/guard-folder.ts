import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../functions/shared/config.ts';
import { codeOf } from '../../functions/shared/kit/error-code.ts';
import { makePrivateFolder } from '../../functions/shared/kit/files/replace-file.ts';

/** A file system in memory that every Linux has. */
const MEMORY = '/dev/shm';

/** The files that a service and its guard share. */
export interface GuardFiles {
  readonly folder: string;
  /** The fence, see FenceFile. */
  readonly fence: string;
  /** The private socket of the guard. */
  readonly socket: string;
  /** What the guard was last told to judge tokens by. */
  readonly identity: string;
}

/**
 * The folder of SERVICE_GUARD_DIR; otherwise one in memory for each user and data folder, or, where that cannot be
 * had, one in the data folder. Made when missing. @throws system errors.
 */
export function openGuardFolder({ SERVICE_GUARD_DIR, SERVICE_DATA_DIR }: Config): GuardFiles {
  const folder = SERVICE_GUARD_DIR ?? ownFolder(SERVICE_DATA_DIR);
  makePrivateFolder(folder);
  const file = (name: string) => join(folder, name);
  return { folder, fence: file('fence'), socket: file('guard.sock'), identity: file('identity.json') };
}

function ownFolder(dataDir: string): string {
  const uid = process.getuid?.() ?? 0;
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const folder = join(MEMORY, `robot-rest-${uid}-${name}`);
  return isOurs(folder, uid) ? folder : join(dataDir, 'guard');
}

/** Anybody may make a folder there. */
function isOurs(folder: string, uid: number): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') return false;
  }
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return false;
  return found.uid === uid && (found.mode & 0o077) === 0;
}
