import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { http } from '../support/http.ts';
import { memoryGrowth } from '../support/memory-growth.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { temporaryFolder } from '../support/world.ts';

const MIB = 1024 ** 2;
const FILES = 8;
const FILE_BYTES = 128 * MIB; // 1 GiB in all, of which a quarter cannot be compressed
const MAX_GROWTH = 64 * MIB;

describe('The memory of a service', () => {
  const home = temporaryFolder();
  const description = join(home, '.robot-rest', 'description');
  const archive = join(home, 'robot.tar.gz');
  let service: ServiceProcess;
  let authorization: string;

  beforeAll(async () => {
    service = await startProcess({ HOME: home, SERVICE_MIN_FREE: '0', SERVICE_SOCKET_ACCESS_LEVEL: 'ENCHANTER' });
    const { json } = await http(service.socketPath, '/api/v2/auth/');
    authorization = `Bearer ${json.token}`;
    // What every kind of work needs once (threads, connections, compiled code) is no growth.
    const small = join(home, 'small.tar.gz');
    await receive('/api/v2/backup/', small);
    await send('/api/v2/backup/restore', small);
    mkdirSync(description, { recursive: true });
    const block = Buffer.concat([randomBytes(MIB / 4), Buffer.alloc((MIB / 4) * 3, 'mesh')]);
    for (let index = 0; index < FILES; index++) {
      writeFileSync(join(description, `${index}.stl`), Buffer.concat(Array(FILE_BYTES / MIB).fill(block)));
    }
  });
  afterAll(async () => {
    await service?.end();
    rmSync(home, { recursive: true, force: true });
  });

  async function receive(path: string, into: string): Promise<void> {
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
    const grown = await memoryGrowth(service.child.pid, () => receive('/api/v2/backup/', archive));
    expect(statSync(archive).size).toBeGreaterThan(250 * MIB);
    process.stdout.write(`packing 1 GiB took ${Math.round(grown / MIB)} MiB\n`);
    expect(grown).toBeLessThan(MAX_GROWTH);
  });

  it('stays constant while 1 GiB is restored, and 1 GiB that was there is kept', async () => {
    rmSync(join(description, '0.stl'));
    writeFileSync(join(description, 'later.stl'), 'of later');
    let answer: unknown;
    const grown = await memoryGrowth(service.child.pid, async () => {
      answer = await send('/api/v2/backup/restore', archive);
    });
    expect(answer).toMatchObject({ restored: expect.arrayContaining(['description']), backup: expect.any(String) });
    const meshes = readdirSync(description).filter((name) => name.endsWith('.stl'));
    expect(meshes.sort()).toEqual(Array.from({ length: FILES }, (_, index) => `${index}.stl`));
    expect(statSync(join(description, '0.stl')).size).toBe(FILE_BYTES);
    process.stdout.write(`restoring 1 GiB took ${Math.round(grown / MIB)} MiB\n`);
    expect(grown).toBeLessThan(MAX_GROWTH);
  });
});
