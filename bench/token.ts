import { request } from 'node:http';
import { join } from 'node:path';
import { home, type Running } from './servers.ts';

/** A token of the running service, taken over its Unix socket. */
export function tokenOf({ port }: Running): Promise<string> {
  return new Promise((resolve, reject) => {
    const socketPath = join(home, `${port}.sock`);
    request({ socketPath, path: '/api/v2/auth/' }, (response) => {
      response.resume().once('end', () => resolve(String(response.headers.authorization).slice('Bearer '.length)));
    })
      .once('error', reject)
      .end();
  });
}
