/**
 * Puts load on a running service until killed: `load.ts <name> <where as JSON>`. Prints `ready` once the load is
 * established.
 */
import { Agent, request } from 'node:http';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connectAsync } from 'mqtt';

export interface Where {
  readonly port: number;
  readonly socketPath: string;
  readonly token: string;
  /** A broker, for messages that bypass the service. */
  readonly brokerUrl: string;
}

const IDLE = { tcp: 3_000, socket: 200 } as const;
/** More than a service limited to 256 open files can accept. */
const GREEDY = 300;
const HEAVY = 32;
const DOWNLOADS = { connections: 32, pipelined: 100 } as const;
const READERS = 20;
const WAITING = 600;
const HUGE_PRESENCE = { bytes: 3_600_000, everyMs: 125 } as const;
const REOPEN_MS = 1_000;

const LOADS = {
  /** Connections that never send anything. */
  idle: async (where) => {
    await hold(IDLE.tcp, { port: where.port, host: '127.0.0.1' });
    await hold(IDLE.socket, { path: where.socketPath });
  },
  /** As many connections as there are descriptors for, over TCP and the socket. Reopens closed ones. */
  descriptors: async (where) => {
    await hold(GREEDY, { port: where.port, host: '127.0.0.1' }, '', REOPEN_MS);
    await hold(GREEDY, { path: where.socketPath }, '', REOPEN_MS);
  },
  /** Commands of maximum size, and other bodies of 1 MiB with far too many members. */
  heavy: async (where) => {
    const members = (count: number, padding: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${padding}${index}`, 1]));
    const command = JSON.stringify({ command: 'skill', value: members(8_000, 'a member with a name ') });
    const config = JSON.stringify({ config: Array(500_000).fill(0) });
    for (let count = 0; count < HEAVY; count += 1) {
      const isCommand = count % 2 === 0;
      void forever(() =>
        ask(
          where,
          isCommand ? 'POST' : 'PUT',
          isCommand ? '/api/v1/dict/' : '/api/v2/database/update_controller_config/',
          {
            body: isCommand ? command : config,
          },
        ),
      );
    }
  },
  /** Only every other client reads its response. */
  downloads: async ({ port }) => {
    const get = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(DOWNLOADS.pipelined);
    const place = { port, host: '127.0.0.1' };
    await hold(DOWNLOADS.connections / 2, place, get, REOPEN_MS);
    await hold(DOWNLOADS.connections / 2, place, get, REOPEN_MS, false);
  },
  readers: async (where) => {
    for (let count = 0; count < READERS; count += 1)
      void forever(() => ask(where, 'GET', '/api/v2/database/read/?tablename=robots_table'));
  },
  waiting: async (where) => {
    for (let count = 0; count < WAITING; count += 1)
      void forever(() => ask(where, 'GET', '/api/v2/get/wait_for_person'));
  },
  /** A robot whose presence is as large as the broker allows, and different each time. */
  presence: async ({ brokerUrl }) => {
    const client = await connectAsync(brokerUrl, { protocolVersion: 5 });
    let sent = 0;
    setInterval(() => {
      sent += 1;
      const reason = `${sent}`.padStart(10, '0').padEnd(HUGE_PRESENCE.bytes, 'x');
      client.publish('robots/evil/presence', JSON.stringify({ v: 1, online: false, reason }));
    }, HUGE_PRESENCE.everyMs);
  },
} as const satisfies Record<string, (where: Where) => Promise<void>>;

export type LoadName = keyof typeof LOADS;

const sockets = new Set<Socket>();
const agent = new Agent({ keepAlive: true });

/** Opens connections, sends the given data, and optionally reads the responses. */
async function hold(
  count: number,
  place: NetConnectOpts,
  text = '',
  reopenMs = Number.POSITIVE_INFINITY,
  reads = true,
): Promise<void> {
  const open = () =>
    new Promise<void>((resolve) => {
      const socket = connect(place);
      sockets.add(socket);
      if (reads) socket.resume();
      else socket.pause();
      if (text !== '') socket.write(text);
      socket.once('connect', resolve).on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        if (reopenMs < Number.POSITIVE_INFINITY) setTimeout(() => void open(), reopenMs);
        resolve();
      });
    });
  for (let opened = 0; opened < count; opened += 1) await open();
}

/** Sends a request and reads the whole response. @returns its status. */
function ask(
  { port, token }: Where,
  method: string,
  path: string,
  { body }: { readonly body?: string } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    const asking = request({ port, host: '127.0.0.1', method, path, headers, agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', reject);
    });
    asking.once('error', reject).end(body);
  });
}

/** Repeats an action, with a pause after a rejection. */
async function forever(act: () => Promise<number>): Promise<void> {
  for (;;) {
    const status = await act().catch(() => 0);
    if (status === 0 || status === 429 || status >= 500) await pause(200);
  }
}

const [name, where] = process.argv.slice(2);
await LOADS[name as LoadName](JSON.parse(where ?? '{}') as Where); // as: written by our own benchmark
process.stdout.write('ready\n');
setInterval(() => undefined, 60_000); // runs until killed
