import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { http } from './http.ts';
import { type ServiceProcess, startProcess } from './process.ts';
import { descendantsOf, processesWith, until } from './processes.ts';
import { ROOT } from './sources.ts';
import { temporaryFolder } from './world.ts';

/** The service as a process, with the guard that it has started. */
export interface GuardedService {
  readonly main: ServiceProcess;
  readonly home: string;
  readonly token: string;
  readonly stopUrl: string;
  readonly stopSocket: string;
  /** Process id of the guard. */
  readonly guard: number;
  /** A command to the service, as its own client. */
  run(command: string, value: unknown, lease?: string): ReturnType<typeof http>;
  /** Stop, at the guard. */
  stop(): ReturnType<typeof http>;
}

const BLOCKING = `--require ${join(ROOT, 'test/support/block-on-signal.cjs')}`;

/** Starts it, and waits until the guard serves. @param key an API key, where the home has some already. */
export async function startGuarded(home: string, settings: Record<string, string>, key?: string) {
  const main = await startProcess({ HOME: home, NODE_OPTIONS: BLOCKING, ...settings });
  let served: { port: number; socket: string } | null = null;
  await until(
    'the guard serves',
    async () => {
      const { json } = await http(main.url, '/status');
      served = json.stop;
      return served !== null && json.robot === 'connected';
    },
    60_000,
  );
  await until('the first key', () => (key ?? main.key) !== undefined);
  const found = served as { port: number; socket: string } | null; // as: the compiler does not see the callback
  const { json } = await http(main.url, '/api/v2/auth/', { headers: { 'x-api-key': key ?? main.key ?? '' } });
  const authorization = `Bearer ${json.token}`;
  await sleep(500); // the guard hears of a new key within a tenth of a second
  const [guard = 0] = guardsOf(main);
  const stopUrl = `http://127.0.0.1:${found?.port}`;
  return {
    main,
    home,
    token: json.token,
    stopUrl,
    stopSocket: found?.socket ?? '',
    guard,
    run: (command: string, value: unknown, lease?: string) =>
      http(main.url, `/api/v2/commands/${command}/`, {
        method: 'POST',
        body: { value },
        headers: { authorization, ...(lease === undefined ? {} : { lease }) },
      }),
    stop: stopAt(stopUrl, json.token),
  } satisfies GuardedService;
}

/** The same in a fresh home, for a robot behind a rosbridge server. @param mapping the text of its mapping. */
export function startGuardedBridge(url: string, mapping: string, settings: Record<string, string> = {}) {
  const home = temporaryFolder();
  const path = join(home, 'mapping.yaml');
  writeFileSync(path, mapping);
  return startGuarded(home, { SERVICE_ROBOT_URL: url, SERVICE_ROBOT_MAPPING_PATH: path, ...settings });
}

/** Stops the robot at a guard. */
export const stopAt = (stopUrl: string, token: string) => () =>
  http(stopUrl, '/api/v2/stop', { method: 'POST', headers: { authorization: `Bearer ${token}` } });

/** Ids of the guards that a service has started. */
export function guardsOf({ child }: ServiceProcess): number[] {
  return descendantsOf(child.pid).filter((pid) => processesWith('guard.js').includes(pid));
}

/** Writes a command to a connection of the service, without waiting for anything; `answer` has what comes back. */
export function writeCommand({ main, token }: GuardedService, command: string, value: unknown) {
  const { hostname, port } = new URL(main.url);
  const socket = connect(Number(port), hostname);
  const body = JSON.stringify({ value });
  socket.write(
    `POST /api/v2/commands/${command}/ HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  const answer = new Promise<string>((resolve) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.once('close', () => resolve(text)).once('error', () => resolve(text));
  });
  return { answer };
}
