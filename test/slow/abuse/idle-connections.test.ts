import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeCertificate, OPENSSL } from '../../support/certificates.ts';
import { describeWith } from '../../support/components.ts';
import { http } from '../../support/http.ts';
import { until } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { loggerInto, temporaryFolder } from '../../support/world.ts';

const TCP = 20;
const SOCKET = 6;

let service: TestService;
let lines: string[];
let sockets: Socket[];
beforeEach(async () => {
  lines = [];
  sockets = [];
  service = await startTestService({
    limits: { connections: { tcp: TCP, tcpPerBlock: 5, socket: SOCKET, overflow: 3 } },
    logger: loggerInto(lines, 'warn'),
  });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await service.stop();
});

type Place = 'tcp' | 'socket';
const base = (place: Place) => (place === 'tcp' ? service.url : service.socketPath);

async function open(count: number, place: Place, text = ''): Promise<Socket[]> {
  const opened: Socket[] = [];
  for (let index = 0; index < count; index += 1) {
    const socket =
      place === 'tcp' ? connect(Number(new URL(service.url).port), '127.0.0.1') : connect(service.socketPath);
    socket.on('error', () => undefined).resume();
    await once(socket, 'connect');
    if (text !== '') socket.write(text);
    opened.push(socket);
    sockets.push(socket);
  }
  return opened;
}

/** Connections on which a request is being answered: its body never comes. */
async function openBusy(count: number, place: Place): Promise<void> {
  const head = `POST /api/v2/volume/ HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${await service.token('USER')}\r\n`;
  await open(count, place, `${head}content-type: application/json\r\ncontent-length: 9\r\n\r\n`);
  await until('all are being answered', () => service.inFlight.size >= count);
}

async function stop(place: Place) {
  const headers = { authorization: `Bearer ${await service.token('USER')}` };
  const { status, json } = await http(base(place), '/api/v2/stop', { method: 'POST', headers });
  return { status, stopped: json.stopped };
}
const STOPPED = { status: 200, stopped: true };

describe.each([
  ['TCP', 'tcp', TCP, 'connections'],
  ['the Unix socket', 'socket', SOCKET, 'socket_connections'],
] as const)('Connections over %s', (_name, place, most, budget) => {
  it('replaces idle connections by new ones, longest idle first', async () => {
    const idle = await open(most, place);
    const { status } = await http(base(place), '/status');
    expect(status).toBe(200);
    await until('one was closed', () => idle.some(({ closed }) => closed));
    expect(idle.map(({ closed }) => closed)).toEqual([true, ...Array(most - 1).fill(false)]);
  });

  it('never lets idle or half-sent requests delay a stop', async () => {
    await open(2 * most, place);
    for (let round = 0; round < 5; round += 1) expect(await stop(place)).toEqual(STOPPED);
    await open(2 * most, place, 'POST /api/v2/st');
    for (let round = 0; round < 5; round += 1) expect(await stop(place)).toEqual(STOPPED);
  });

  it('only answers stop and probes on new connections while all others are busy', async () => {
    await openBusy(most, place);
    await open(10, place);
    expect(await stop(place)).toEqual(STOPPED);
    expect((await http(base(place), '/health/live')).status).toBe(200);
    const { status, json, headers } = await http(base(place), '/status');
    expect({ status, code: json.code, after: headers['retry-after'] }).toEqual({
      status: 503,
      code: 'component_unavailable',
      after: '5',
    });
    sockets[0]?.destroy();
    await until('there is a place again', async () => (await http(base(place), '/status')).status === 200);
  });

  it('leaves other clients their connections', async () => {
    await openBusy(most, place);
    const other = place === 'tcp' ? 'socket' : 'tcp';
    expect(await stop(other)).toEqual(STOPPED);
    expect((await http(base(other), '/status')).status).toBe(200);
  });

  it('counts replaced connections and logs it once', async () => {
    await open(most + 5, place);
    await until('all have been taken in', async () => {
      const { text } = await http(base(place), '/metrics');
      return Number(new RegExp(`^budget_exceeded_total\\{budget="${budget}"\\} (\\d+)`, 'm').exec(text)?.[1]) >= 6;
    });
    expect(lines.filter((line) => line.includes(`"budget":"${budget}"`))).toHaveLength(1);
  });
});

describeWith('Connections over TLS', OPENSSL, 'openssl', () => {
  it('count against the TCP limit until they are closed', async () => {
    const { cert: ca, certPath, keyPath } = makeCertificate(temporaryFolder(), 'robot');
    const settings = { SERVICE_TLS_PORT: '0', SERVICE_TLS_CERT_PATH: certPath, SERVICE_TLS_KEY_PATH: keyPath };
    await service.stop();
    service = await startTestService({
      settings,
      limits: { connections: { tcp: TCP, tcpPerBlock: 5, socket: SOCKET, overflow: 3 } },
    });
    const idle = await open(TCP, 'tcp');
    const { port } = new URL(service.tlsUrl);
    for (let count = 0; count < 2 * TCP; count += 1) {
      const socket = connectTls({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false });
      sockets.push(socket.on('error', () => undefined));
      await once(socket, 'secureConnect');
    }
    await until('all over TCP have given way', () => idle.every(({ closed }) => closed));
    expect((await http(service.tlsUrl, '/status', { ca })).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    for (let count = 0; count < 3 * TCP; count += 1) {
      expect((await http(service.tlsUrl, '/status', { ca })).status).toBe(200);
    }
  });
});
