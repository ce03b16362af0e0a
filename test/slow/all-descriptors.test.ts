import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { http } from '../support/http.ts';
import { freshEnvironment } from '../support/process.ts';
import { until } from '../support/processes.ts';
import { ROOT } from '../support/sources.ts';

const DESCRIPTORS = 256;

it('does not delay a stop, over TCP or the socket, when clients take all descriptors', async () => {
  const environment = freshEnvironment();
  const socketPath = environment.SERVICE_SOCKET_PATH ?? '';
  const program = join(ROOT, 'scripts', 'start.mjs');
  const child = spawn('sh', ['-c', `ulimit -n ${DESCRIPTORS} && exec "$0" "$1"`, process.execPath, program], {
    cwd: ROOT,
    env: environment,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  await until('it listens', () => /Listening on http:/.test(said), 60_000);
  const url = /Listening on (http:\S+?)(?: |;)/.exec(said)?.[1] ?? '';
  const held: Socket[] = [];
  for (let count = 0; count < 2 * DESCRIPTORS; count += 1) {
    for (const place of [{ port: Number(new URL(url).port), host: '127.0.0.1' }, { path: socketPath }]) {
      const socket = connect(place);
      held.push(socket.on('error', () => undefined).resume());
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    }
  }
  const { authorization } = (await http(socketPath, '/api/v2/auth/')).headers;
  const headers = { authorization: String(authorization) };
  for (let round = 0; round < 18; round += 1) {
    for (const base of [url, socketPath]) {
      const { status, json } = await http(base, '/api/v2/stop', { method: 'POST', headers });
      expect([base, status, json.stopped]).toEqual([base, 200, true]);
    }
  }
  expect((await http(url, '/api/v2/database/read/?tablename=robots_table', { headers })).status).toBe(200); // it can open files
  expect(said).toContain('"budget":"connections"');
  for (const socket of held) socket.destroy();
  child.kill();
  await once(child, 'exit');
});
