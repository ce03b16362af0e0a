import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newKey } from '../../../functions/shared/identity/adapters/signing-keys/pem.ts';
import { http } from '../../support/http.ts';
import { freshEnvironment, type ServiceProcess, startProcess } from '../../support/process.ts';
import { descendantsOf, until } from '../../support/processes.ts';
import { filled, ROUTE_CALLS } from '../../support/route-calls.ts';
import { ROOT } from '../../support/sources.ts';
import { temporaryFolder } from '../../support/world.ts';

/** As it stands in a URL, with an escape and with an `@` that should have been one; and what that means. */
const ESCAPED = 'h0rse%2Fc0rrect@st4ple-7';
const PASSWORD = 'h0rse/c0rrect@st4ple-7';
const basic = (user: string) => Buffer.from(`${user}:${PASSWORD}`).toString('base64');
const { pem } = newKey();

/** Machines are noisy: it only ends what hangs. */
const LIMIT_MS = 180_000;

/** Every form of a secret that would give it away, and pieces of it. */
const SECRETS = [ESCAPED, PASSWORD, 'c0rrect', 'st4ple', basic('robot-1'), ...pem.split('\n').slice(1, -1)];

/** A broker that hears who signs in and lets nobody in. */
class DeafBroker {
  heard = '';
  readonly server: Server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      this.heard += data.toString('latin1');
      socket.end(Buffer.from([0x20, 3, 0, 0x86, 0]));
    });
  });
}

/** What stands for MediaMTX and for rosbridge: it hears who asks and refuses. */
class DeafServer {
  readonly heard: IncomingHttpHeaders[] = [];
  readonly server = createServer((request, response) => {
    this.heard.push(request.headers);
    response.writeHead(401).end();
  }).on('upgrade', (request, socket) => {
    this.heard.push(request.headers);
    socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
  });
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // as: a TCP server has no other kind of address
}

/** Everything that a client, a reader of the log or a user of the same computer gets to see of a service, by place. */
async function everythingShown(service: ServiceProcess, home: string): Promise<Array<[place: string, text: string]>> {
  const { token } = (await http(service.socketPath, '/api/v2/auth/')).json;
  const call = { headers: { authorization: `Bearer ${token}`, 'x-api-key': 'rk_wrong' } };
  const shown: Array<[string, string]> = [];
  for (const { route, method, pattern } of ROUTE_CALLS) {
    const body = route.endpoint.spec.input?.body === undefined ? {} : { body: { command: 'sound_level', value: 7 } };
    for (const value of ['sound_level', 'get_language']) {
      const { headers, text } = await http(service.url, filled(pattern, value), { method, ...call, ...body });
      shown.push([`${method} ${pattern}`, JSON.stringify(headers) + text]);
    }
  }
  for (const pid of [service.child.pid ?? 0, ...descendantsOf(service.child.pid)])
    shown.push(['arguments', readFileSync(`/proc/${pid}/cmdline`, 'utf8')]);
  await service.end();
  for (const entry of readdirSync(join(home, '.robot-rest'), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) shown.push([entry.name, readFileSync(join(entry.parentPath, entry.name), 'latin1')]);
  return [...shown, ...Object.entries(service.output())];
}

describe('Credentials in the settings of a running service', () => {
  const broker = new DeafBroker();
  const server = new DeafServer();
  let brokerPort: number;
  let serverPort: number;
  beforeAll(async () => {
    brokerPort = await listen(broker.server);
    serverPort = await listen(server.server);
  });
  afterAll(() => {
    broker.server.close();
    server.server.close();
  });

  const cases: Array<[string, () => Record<string, string>, (log: string) => boolean]> = [
    [
      'of a robot behind a broker, of a stream server and of a signing key',
      () => ({
        SERVICE_ROBOT_URL: `mqtt://robot-1:${ESCAPED}@127.0.0.1:${brokerPort}/robot-1`,
        SERVICE_MEDIAMTX_API_URL: `http://robot-1:${ESCAPED}@127.0.0.1:${serverPort}`,
        SERVICE_JWT_SIGNING_KEY: pem,
      }),
      (log) =>
        log.includes('"setting":"SERVICE_ROBOT_URL"') &&
        log.includes('could not notify the stream server') &&
        broker.heard.includes(PASSWORD) &&
        server.heard.some(({ authorization }) => authorization === `Basic ${basic('robot-1')}`),
    ],
    [
      'of a relay and of a rosbridge',
      () => ({
        SERVICE_RELAY_URL: `mqtt://robot-1:${ESCAPED}@127.0.0.1:${brokerPort}`,
        SERVICE_ROBOT_URL: `ws://robot-1:${ESCAPED}@127.0.0.1:${serverPort}/?token=${ESCAPED}`,
        SERVICE_ROBOT_MAPPING_PATH: join(ROOT, 'examples/rosbridge/turtlebot.yaml'),
      }),
      (log) =>
        log.includes('"setting":"SERVICE_RELAY_URL"') &&
        log.includes('the link to the robot failed') &&
        broker.heard.includes(PASSWORD) &&
        server.heard.some(({ upgrade, authorization }) => upgrade === 'websocket' && authorization !== undefined),
    ],
  ];

  it.each(cases)(
    '(%s) are used, and shown to nobody',
    async (_of, settings, used) => {
      broker.heard = '';
      server.heard.length = 0;
      const home = temporaryFolder();
      const service = await startProcess({
        HOME: home,
        SERVICE_LOG_LEVEL: 'trace',
        SERVICE_SOCKET_ACCESS_LEVEL: 'ENCHANTER',
        SERVICE_ROBOT_ID: 'robot-1',
        ...settings(),
      });
      await until('the credentials are used and refused', () => used(service.output().stderr), LIMIT_MS);
      const shown = await everythingShown(service, home);
      expect(shown.length).toBeGreaterThan(ROUTE_CALLS.length);
      const telling = shown.filter(([, text]) => SECRETS.some((secret) => text.includes(secret)));
      expect(telling.map(([place]) => place)).toEqual([]);
    },
    LIMIT_MS,
  );
});

describe('An invalid setting that contains a credential', () => {
  it.each([
    ['SERVICE_ROBOT_URL', `mqtt://robot-1:${PASSWORD}@127.0.0.1/robot-1`],
    ['SERVICE_ROBOT_URL', `mqtt://robot-1:100%${PASSWORD}@127.0.0.1/robot-1`],
    ['SERVICE_ROBOT_URL', `amqp://robot-1:${ESCAPED}@127.0.0.1/robot-1`],
    ['SERVICE_ROBOT_URL', `ws://robot-1:${ESCAPED}@127.0.0.1:99999/`],
    ['SERVICE_RELAY_URL', `http://robot-1:${ESCAPED}@127.0.0.1`],
    ['SERVICE_RELAY_URL', `mqtt://robot-1:${ESCAPED}@127.0.0.1/not/an/id`],
    ['SERVICE_MEDIAMTX_API_URL', `robot-1:${PASSWORD}@127.0.0.1`],
    ['SERVICE_MEDIAMTX_API_URL', `http://robot-1:100%${ESCAPED}@127.0.0.1`],
    ['SERVICE_JWT_SIGNING_KEY', pem.replaceAll('-----', '--')],
    ['SERVICE_JWT_SIGNING_KEY', pem.slice(0, 120)],
    ['SERVICE_API_KEYS', `{"keys":[{"id":"${PASSWORD}"}]}`],
    ['SERVICE_BROKER_PASSWORD', PASSWORD],
  ])('names %s but not its value', async (setting, value) => {
    const environment = freshEnvironment({ [setting]: value, SERVICE_SOCKET_PATH: '', SERVICE_LOG_LEVEL: 'trace' });
    const { stdout, stderr } = await startedOrRefused(environment);
    expect(stderr).toContain(setting);
    for (const secret of SECRETS) expect(stdout + stderr).not.toContain(secret);
  });
});

/** What a start says, whether it comes to something or not. */
async function startedOrRefused(environment: Record<string, string>): Promise<{ stdout: string; stderr: string }> {
  try {
    const service = await startProcess(environment);
    await service.end();
    return service.output();
  } catch (error) {
    return { stdout: '', stderr: String(error) };
  }
}
