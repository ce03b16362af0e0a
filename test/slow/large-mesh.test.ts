import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { http } from '../support/http.ts';
import { memoryGrowth } from '../support/memory-growth.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { temporaryFolder } from '../support/world.ts';

const MEGABYTE = 1024 * 1024;
const SIZE = 500 * MEGABYTE;
const MOST_GROWTH = 64 * MEGABYTE;

let service: ServiceProcess;
let authorization: string;

beforeAll(async () => {
  const folder = join(temporaryFolder(), 'description');
  mkdirSync(folder);
  const file = openSync(join(folder, 'large.stl'), 'w');
  ftruncateSync(file, SIZE); // a hole: 500 MB that take no room
  writeSync(file, 'end', SIZE - 3);
  closeSync(file);
  service = await startProcess({ SERVICE_DESCRIPTION_DIR: folder });
  const { json } = await http(service.socketPath, '/api/v2/auth/');
  authorization = `Bearer ${json.token}`;
});
afterAll(() => service.end());

/** Downloads without keeping anything. */
function download(): Promise<{ status: number; bytes: number; last: string }> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const asked = request({
      hostname,
      port,
      path: '/api/v2/meshes/large.stl',
      headers: { authorization },
      agent: false,
    });
    asked.on('error', reject).on('response', (response) => {
      let bytes = 0;
      let last: Buffer = Buffer.alloc(0);
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        last = chunk;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, bytes, last: last.subarray(-3).toString() }),
      );
    });
    asked.end();
  });
}

describe('A mesh of 500 MB', () => {
  it('downloads completely with constant memory of the service', async () => {
    await download(); // what code and buffers take once
    const growth = await memoryGrowth(service.child.pid, async () => {
      expect(await download()).toEqual({ status: 200, bytes: SIZE, last: 'end' });
    });
    expect(growth).toBeLessThan(MOST_GROWTH);
  });

  it('downloads to four clients at once with constant memory', async () => {
    const growth = await memoryGrowth(service.child.pid, async () => {
      const all = await Promise.all([1, 2, 3, 4].map(download));
      expect(all.map(({ bytes }) => bytes)).toEqual([SIZE, SIZE, SIZE, SIZE]);
    });
    expect(growth).toBeLessThan(MOST_GROWTH);
  });

  it('serves a range at its very end', async () => {
    const { status, text, headers } = await http(service.url, '/api/v2/meshes/large.stl', {
      headers: { authorization, range: `bytes=${SIZE - 3}-` },
    });
    expect([status, text, headers['content-range']]).toEqual([206, 'end', `bytes ${SIZE - 3}-${SIZE - 1}/${SIZE}`]);
  });
});
