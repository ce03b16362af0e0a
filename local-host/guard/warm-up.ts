import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createLogger } from '../../functions/shared/observability/logger.ts';
import { StopConnections } from './stop-connections.ts';
import { createStopServer, type StopServerParts } from './stop-server.ts';

const TIMES = 5;

/** No robot. */
const STAND_IN: StopServerParts['stopper'] = {
  stop: () => ({ report: Promise.resolve({ stopped: true }), fenced: Promise.resolve(true) }),
};

/**
 * Runs what serves a stop before the first one comes, against no robot, over a socket of its own: code that has never
 * run takes ten times as long.
 * @throws system errors.
 */
export async function warmUp(parts: Omit<StopServerParts, 'stopper'>, folder: string): Promise<void> {
  const socketPath = join(folder, 'warm-up.sock');
  rmSync(socketPath, { force: true });
  const server = createStopServer(
    'socket',
    { ...parts, logger: createLogger('silent'), stopper: STAND_IN },
    new StopConnections(1, 1),
  );
  await once(server.listen(socketPath), 'listening');
  for (let times = 0; times < TIMES; times += 1) {
    const stop = request({ socketPath, path: '/api/v2/stop', method: 'POST', agent: false }).end();
    const [answer] = await once(stop, 'response');
    await once(answer.resume(), 'end');
  }
  server.close();
}
