import { readFileSync } from 'node:fs';
import { access, chown, constants, lstat, readdir, readFile, readlink, unlink } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { codeOf, FileFault } from '../functions/shared/adapters/files/watched-file.ts';
import { withLock } from '../functions/shared/adapters/files/with-lock.ts';
import { type Config, ConfigError } from '../functions/shared/config.ts';
import { StartError } from './start-error.ts';

/** Others get nothing: 0660. Set before bind, so that no moment exists in which others could connect. */
const UMASK = 0o117;
/** The kernel takes no longer path; Node cuts it off without a word and listens where nobody looks. */
const MOST_PATH_BYTES = 107;

/**
 * Binds a server to a Unix socket. A socket file that nobody answers on is left over from a crash and is replaced; one
 * that answers belongs to a running service. Two starts at once are kept apart by a lock, which lies in the data folder:
 * beside a socket in /tmp any user of the machine could make it and keep it.
 * @throws StartError naming the owner of a live socket, or why there can be none; ConfigError for an unknown group, or a path that is too long.
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
  if (Buffer.byteLength(path) > MOST_PATH_BYTES) {
    throw new ConfigError(`SERVICE_SOCKET_PATH: the path of a socket may have ${MOST_PATH_BYTES} bytes at most`);
  }
  try {
    await access(`${dirname(path)}/.`, constants.W_OK); // a folder made here would be closed to the clients
    await withLock(join(SERVICE_DATA_DIR, 'socket'), async () => {
      await removeDeadSocket(path);
      await bind(server, path);
      if (gid !== undefined) await chown(path, -1, gid);
    });
  } catch (error) {
    throw error instanceof StartError ? error : await impossible(path, error);
  }
}

async function impossible(path: string, error: unknown): Promise<StartError> {
  const why = codeOf(error) ?? (error instanceof FileFault ? error.message : 'for an unknown reason');
  const owner = await userOf(path);
  const inTheWay = owner === undefined ? '' : ` What lies there belongs to ${owner}.`;
  return new StartError(`The socket ${path} cannot be made (${why}).${inTheWay} Set SERVICE_SOCKET_PATH.`);
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const before = process.umask(UMASK);
    try {
      server.listen(path, resolve);
    } finally {
      process.umask(before);
    }
  });
}

async function removeDeadSocket(path: string): Promise<void> {
  const file = await lstat(path).catch(() => undefined);
  if (!file) return;
  if (!file.isSocket())
    throw new StartError(
      `${path} exists and is no socket; it belongs to ${await userOf(path)}. Remove it or set SERVICE_SOCKET_PATH.`,
    );
  if (await answers(path)) {
    throw new StartError(`The socket ${path} is in use by ${await ownerOf(path)}. Stop it or set SERVICE_SOCKET_PATH.`);
  }
  await unlink(path);
}

function answers(path: string): Promise<boolean> {
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

/** Flag of a socket that listens. Those of its connections, our own question among them, bear the same path. */
const LISTENS = '00010000';

/** The process that listens on the socket: its inode in /proc/self/net/unix, looked up among the open files of all processes. */
async function ownerOf(path: string): Promise<string> {
  const sockets = await readFile('/proc/self/net/unix', 'utf8').catch(() => '');
  const inode = sockets
    .split('\n')
    .filter((line) => line.endsWith(` ${path}`))
    .map((line) => line.trim().split(/\s+/))
    .find(([, , , flags]) => flags === LISTENS)?.[6];
  if (inode === undefined) return 'another process';
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      if ((await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')) !== `socket:[${inode}]`) continue;
      return `process ${pid} (${(await readFile(`/proc/${pid}/comm`, 'utf8')).trim()})`;
    }
  }
  return `a process of another user (the socket belongs to ${await userOf(path)})`;
}

/** The name of the user a file belongs to, or the number; undefined when there is no file. */
async function userOf(path: string): Promise<string | undefined> {
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
    throw new ConfigError(`SERVICE_SOCKET_GROUP: there is no group "${name}"`);
  return gid;
}
