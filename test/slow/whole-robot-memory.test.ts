import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { http } from '../support/http.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { temporaryFolder } from '../support/world.ts';

const MIB = 1024 ** 2;
const FILES = 8;
const FILE_BYTES = 128 * MIB; // 1 GiB in all, of which half cannot be compressed

describe('The memory of a service', () => {
  const home = temporaryFolder();
  const description = join(home, '.robot-rest', 'description');
  const archive = join(home, 'robot.tar.gz');
  let service: ServiceProcess;
  let authorization: string;

  beforeAll(async () => {
    mkdirSync(description, { recursive: true });
    const block = Buffer.concat([randomBytes(MIB / 2), Buffer.alloc(MIB / 2, 'mesh')]);
    for (let index = 0; index < FILES; index++) {
      writeFileSync(join(description, `${index}.stl`), Buffer.concat(Array(FILE_BYTES / MIB).fill(block)));
    }
    service = await startProcess({ HOME: home, SERVICE_MIN_FREE: '0', SERVICE_SOCKET_ACCESS_LEVEL: 'ENCHANTER' });
    const { json } = await http(service.socketPath, '/api/v2/auth/');
    authorization = `Bearer ${json.token}`;
    await call('/api/v2/backup/', join(home, 'first.tar.gz')); // what is made once is made
  });
  afterAll(() => service?.end());

  const rss = () => {
    const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  };

  /** The most that the memory grows while something happens, in bytes. */
  async function growth(work: () => Promise<unknown>): Promise<number> {
    const before = rss();
    let most = before;
    const timer = setInterval(() => {
      most = Math.max(most, rss());
    }, 20);
    await work();
    clearInterval(timer);
    return most - before;
  }

  async function call(path: string, into: string): Promise<void> {
    const { hostname, port } = new URL(service.url);
    const asked = request({ hostname, port, path, method: 'POST', headers: { authorization }, agent: false });
    await new Promise<void>((resolve, reject) => {
      asked.on('error', reject).on('response', (response) => {
        pipeline(response, createWriteStream(into)).then(resolve, reject);
      });
      asked.end();
    });
  }

  async function send(path: string, from: string): Promise<unknown> {
    const { hostname, port } = new URL(service.url);
    const headers = { authorization, 'content-type': 'application/gzip', 'content-length': statSync(from).size };
    const asked = request({ hostname, port, path, method: 'POST', headers, agent: false });
    const answered = new Promise<unknown>((resolve, reject) => {
      asked
        .on('error', reject)
        .on('response', (response) => text(response).then((body) => resolve(JSON.parse(body)), reject));
    });
    await pipeline(createReadStream(from), asked);
    return answered;
  }

  it('stays constant while 1 GiB is packed', async () => {
    const grown = await growth(() => call('/api/v2/backup/', archive));
    expect(statSync(archive).size).toBeGreaterThan(500 * MIB);
    process.stdout.write(`packing 1 GiB took ${Math.round(grown / MIB)} MiB\n`);
    expect(grown).toBeLessThan(64 * MIB);
  });

  it('stays constant while 1 GiB is checked', async () => {
    let answer: unknown;
    const grown = await growth(async () => {
      answer = await send('/api/v2/backup/restore?dry_run=true', archive);
    });
    expect(answer).toMatchObject({ restored: expect.arrayContaining(['description']) });
    process.stdout.write(`checking 1 GiB took ${Math.round(grown / MIB)} MiB\n`);
    expect(grown).toBeLessThan(64 * MIB);
  });
});
