import type { Server } from 'node:net';

/** Listens on a Unix socket that is made with this umask: who may not connect could not before a chmod either. */
export function bindPath(server: Server, path: string, umask: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const before = process.umask(umask);
    try {
      server.listen(path, resolve);
    } finally {
      process.umask(before);
    }
  });
}
