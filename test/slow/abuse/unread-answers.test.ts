import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { loggerInto } from '../../support/world.ts';

const BUNDLE = '/docs/swagger-ui-bundle.js';
const MIB = 1024 * 1024;
const MALLORY = '192.0.2.1';
const ALICE = '192.0.2.2';

let service: TestService;
let lines: string[];
let sockets: Socket[];
beforeEach(async () => {
  lines = [];
  sockets = [];
  service = await startTestService({
    settings: { SERVICE_TRUSTED_PROXY: '127.0.0.1' },
    limits: { answerBytes: 24 * MIB, answerBytesPerBlock: 8 * MIB },
    logger: loggerInto(lines, 'warn'),
  });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await service.stop();
});

const from = (address: string) => ({ 'x-forwarded-for': address });
const exceeded = async () =>
  Number(/^budget_exceeded_total\{budget="answers"\} (\d+)/m.exec((await service.as(undefined, '/metrics')).text)?.[1]);

/** Opens connections that ask for more megabytes than the kernel takes in, and reads nothing. */
async function neverRead(connections: number, address: string, requests = 6): Promise<void> {
  for (let index = 0; index < connections; index += 1) {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('error', () => undefined).pause();
    await once(socket, 'connect');
    sockets.push(socket);
    socket.write(`GET ${BUNDLE} HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: ${address}\r\n\r\n`.repeat(requests));
  }
}

describe('A client that does not read its responses', () => {
  it('gets no more responses over its limit, while other clients do', async () => {
    await neverRead(16, MALLORY);
    const ask = (address: string) => service.as('USER', '/status', { headers: from(address) });
    await until('its share is used up', async () => (await ask(MALLORY)).status === 503);
    const { status, json, headers } = await ask(MALLORY);
    expect({ status, code: json.code, after: headers['retry-after'] }).toEqual({
      status: 503,
      code: 'component_unavailable',
      after: '5',
    });
    expect((await ask(ALICE)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await until('its share is free', async () => (await ask(MALLORY)).status === 200);
  });

  it('can always stop the robot and probe the service', async () => {
    await neverRead(16, MALLORY);
    const ask = (path: string, method = 'GET') => service.as('USER', path, { method, headers: from(MALLORY) });
    await until('its share is used up', async () => (await ask('/status')).status === 503);
    expect(await ask('/api/v2/stop', 'POST')).toMatchObject({ status: 200, json: { stopped: true } });
    expect((await ask('/health/live')).status).toBe(200);
  });

  it('is counted each time and logged once', async () => {
    await neverRead(16, MALLORY);
    const ask = () => service.as('USER', '/status', { headers: from(MALLORY) });
    await until('its share is used up', async () => (await ask()).status === 503);
    const before = await exceeded();
    await ask();
    expect(await exceeded()).toBe(before + 1);
    expect(lines.filter((line) => line.includes('"budget":"answers"'))).toHaveLength(1);
  });

  it('loses its oldest response when all clients together exceed the limit', async () => {
    await neverRead(1, ALICE, 1);
    for (let host = 1; host <= 6; host += 1) await neverRead(4, `198.51.100.${host}`); // each within its share
    await until('something was cut off', async () => (await exceeded()) > 0);
    let received = '';
    const [alice] = sockets as [Socket];
    alice.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
    alice.resume();
    await until('she has it all', () => received.length > 1.3 * MIB);
  });

  it('shares one copy of a documentation file between requests', async () => {
    await service.as(undefined, BUNDLE);
    const before = process.memoryUsage().arrayBuffers;
    await neverRead(5, MALLORY, 80);
    await pause(500);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * MIB);
  });
});
