import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { tokens } from '../../../functions/shared/identity/ports.ts';
import type { Tokens } from '../../../functions/shared/identity/tokens.ts';
import { give } from '../../../functions/shared/port.ts';
import { problemIn } from '../../support/http.ts';
import { until } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { loggerInto } from '../../support/world.ts';

const MIB = 1024 * 1024;
const PATH = '/api/v2/volume/';

/** Every token is the id of a key. */
const keyTokens: Tokens = {
  mint: () => Promise.reject(new Error('no token is minted here')),
  verify: (token) => ({ clientId: token, accessLevel: 'USER', keyId: token, mayPublish: false }),
};

interface Upload {
  readonly socket: Socket;
  readonly key: string;
  answer: string;
  send(bytes: number): void;
}

let service: TestService;
let lines: string[];
let uploads: Upload[];
beforeEach(async () => {
  lines = [];
  uploads = [];
  service = await startTestService({
    given: [give(tokens, keyTokens)],
    limits: { bodyBytes: 6 * MIB, bodyBytesPerOwner: 2 * MIB },
    logger: loggerInto(lines, 'warn'),
  });
});
afterEach(async () => {
  for (const { socket } of uploads) socket.destroy();
  await service.stop();
});

/** Begins a body of 1 MiB. */
async function begin(key: string, bytes: number): Promise<Upload> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  const upload: Upload = {
    socket,
    key,
    answer: '',
    send: (more) => void socket.write(Buffer.alloc(more, 0x20)),
  };
  socket.on('error', () => undefined).setEncoding('latin1');
  socket.on('data', (text: string) => {
    upload.answer += text;
  });
  await once(socket, 'connect');
  const head = `POST ${PATH} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n`;
  socket.write(`${head}content-type: application/json\r\ncontent-length: ${MIB}\r\n\r\n`);
  upload.send(bytes);
  uploads.push(upload);
  return upload;
}

const refused = () => uploads.filter(({ answer }) => answer !== '');
const exceeded = async () =>
  Number(
    /^budget_exceeded_total\{budget="bodies"\} (\d+)/m.exec((await service.as(undefined, '/metrics')).text)?.[1] ?? 0,
  );
const arrived = async (upload: Upload) => {
  await until('it has been sent', () => upload.socket.writableLength === 0);
  await service.as(undefined, '/status');
};

describe('Unfinished bodies', () => {
  it('are rejected over the limit of their key, the oldest stalled one first', async () => {
    const [first, second] = [await begin('mallory', 900_000), await begin('mallory', 900_000)];
    await Promise.all([arrived(first), arrived(second)]);
    await sleep(1_100);
    await begin('mallory', 900_000);
    await until('one was refused', () => first.answer.includes('\r\n\r\n{'));
    expect(problemIn(first.answer)).toMatchObject({ status: 503, code: 'component_unavailable' });
    expect(first.answer).toMatch(/^retry-after: 5\r$/im);
    await begin('mallory', 900_000);
    await until('the next was refused', () => second.answer !== '');
    expect(refused()).toEqual([first, second]);
  });

  it('do not affect the bodies of other keys', async () => {
    const alice = await begin('alice', 900_000);
    for (let count = 0; count < 12; count += 1) await arrived(await begin('mallory', 900_000));
    await until('most were refused', () => refused().length === 10);
    expect(alice.answer).toBe('');
    const body = JSON.stringify({ percentage: { value: 30 } });
    alice.socket.write(body.padStart(MIB - 900_000));
    await until('she is answered', () => alice.answer !== '');
    expect(alice.answer).toMatch(/^HTTP\/1\.1 200/);
  });

  it('of many keys have a common limit, at the expense of the key with the most bytes', async () => {
    const alice = await begin('alice', 500_000);
    for (let key = 1; key <= 8; key += 1) await arrived(await begin(`key-${key}`, 900_000));
    await until('some were refused', () => refused().length >= 2);
    expect(alice.answer).toBe('');
  });

  it('delay neither a stop nor a small command', async () => {
    for (let count = 0; count < 8; count += 1) await arrived(await begin('mallory', 900_000));
    const headers = { authorization: 'Bearer mallory' };
    const stop = await service.as(undefined, '/api/v2/stop', { method: 'POST', headers });
    const body = { percentage: { value: 30 } };
    const small = await service.as(undefined, PATH, { method: 'POST', headers, body });
    expect([stop.status, small.status]).toEqual([200, 200]);
  });

  it('are counted and logged once, and freed when their client disconnects', async () => {
    for (let count = 0; count < 5; count += 1) await arrived(await begin('mallory', 900_000));
    await until('three were refused', async () => (await exceeded()) === 3);
    expect(lines.map((line) => JSON.parse(line).budget)).toEqual(['bodies']);
    for (const { socket } of uploads.splice(0)) socket.destroy();
    await until('nothing is being answered', () => service.inFlight.size === 0);
    for (let count = 0; count < 2; count += 1) await arrived(await begin('mallory', 900_000));
    expect(await exceeded()).toBe(3);
  });
});
