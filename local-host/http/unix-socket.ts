import { readFileSync } from 'node:fs';
import { access, chown, constants, lstat, readdir, readFile, readlink, unlink } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { type Config, ConfigError } from '../../functions/shared/config.ts';
import { codeOf } from '../../functions/shared/kit/error-code.ts';
import { FileFault } from '../../functions/shared/kit/files/watched-file.ts';
import { withLock } from '../../functions/shared/kit/files/with-lock.ts';
import { StartError } from '../start-error.ts';
import { bindPath } from './bind-path.ts';

/** Mode 0660. Set before bind, so that others can never connect. */
const UMASK = 0o117;
/** The kernel's limit; Node silently truncates a longer path and listens elsewhere. */
const MAX_PATH_BYTES = 107;

/** The socket cannot be created. */
export class SocketError extends StartError {
  /** The process or user that has the path, when somebody does. */
  readonly owner: string | undefined;

  constructor(message: string, owner: string | undefined) {
    super(message);
    this.owner = owner;
  }
}

/**
 * Binds a server to a Unix socket. A socket file that nobody listens on is left over from a crash and gets replaced;
 * one that accepts connections belongs to a running service. Concurrent starts are serialized by a lock in the data
 * folder: next to a socket in /tmp any user of the machine could create and hold it.
 * @throws SocketError naming the owner of a live socket, or why none can be created; ConfigError for an unknown group or
 * a path that is too long.
 */
export async function listenOnSocket(
  server: Server,
  {
    SERVICE_SOCKET_PATH: path,
    SERVICE_SOCKET_GROUP: group,
    SERVICE_DATA_DIR,
  }: Pick<Config, 'SERVICE_SOCKET_PATH' | 'SERVICE_SOCKET_GROUP' | 'SERVICE_DATA_DIR'>,
): Promise<void> {
  const gid = group === undefined ? undefined : groupId(group);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw new ConfigError(`SERVICE_SOCKET_PATH: must be at most ${MAX_PATH_BYTES} bytes`);
  }
  try {
    await access(`${dirname(path)}/.`, constants.W_OK); // not created if missing: clients could not enter it
    await withLock(join(SERVICE_DATA_DIR, 'socket'), async () => {
      await removeStaleSocket(path);
      await bindPath(server, path, UMASK);
      if (gid !== undefined) await chown(path, -1, gid);
    });
  } catch (error) {
    throw error instanceof SocketError ? error : await bindError(path, error);
  }
}

async function bindError(path: string, error: unknown): Promise<SocketError> {
  const reason = codeOf(error) ?? (error instanceof FileFault ? error.message : 'unknown reason');
  const owner = await ownerOf(path);
  const existing = owner === undefined ? '' : ` The existing file belongs to ${owner}.`;
  return new SocketError(`Cannot create the socket ${path} (${reason}).${existing} Set SERVICE_SOCKET_PATH.`, owner);
}

async function removeStaleSocket(path: string): Promise<void> {
  const file = await lstat(path).catch(() => undefined);
  if (!file) return;
  if (!file.isSocket()) {
    const owner = await ownerOf(path);
    throw new SocketError(
      `${path} exists and is not a socket; it belongs to ${owner}. Remove it or set SERVICE_SOCKET_PATH.`,
      owner,
    );
  }
  if (await isLive(path)) {
    const owner = await listenerOf(path);
    throw new SocketError(`The socket ${path} is in use by ${owner}. Stop it or set SERVICE_SOCKET_PATH.`, owner);
  }
  await unlink(path);
}

function isLive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}

/** Flag of a listening socket. Its connections, including our own probe, are listed with the same path. */
const LISTENING = '00010000';

/**
 * Finds the process that listens on the socket, by searching the open files of all processes for the socket's inode.
 */
async function listenerOf(path: string): Promise<string> {
  const sockets = await readFile('/proc/self/net/unix', 'utf8').catch(() => '');
  const inode = sockets
    .split('\n')
    .filter((line) => line.endsWith(` ${path}`))
    .map((line) => line.trim().split(/\s+/))
    .find(([, , , flags]) => flags === LISTENING)?.[6];
  if (inode === undefined) return 'another process';
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      if ((await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')) !== `socket:[${inode}]`) continue;
      return `process ${pid} (${(await readFile(`/proc/${pid}/comm`, 'utf8')).trim()})`;
    }
  }
  return `a process of another user (the socket belongs to ${await ownerOf(path)})`;
}

/** The name or number of the user who owns a file; undefined if there is no file. */
async function ownerOf(path: string): Promise<string | undefined> {
  const file = await lstat(path).catch(() => undefined);
  if (!file) return undefined;
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const line = users.split('\n').find((entry) => entry.split(':')[2] === String(file.uid));
  return `user ${line?.split(':')[0] ?? file.uid}`;
}

function groupId(name: string): number {
  const line = readFileSync('/etc/group', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const gid = Number(line?.split(':')[2]);
  if (line === undefined || !Number.isInteger(gid))
    throw new ConfigError(`SERVICE_SOCKET_GROUP: unknown group "${name}"`);
  return gid;
}
