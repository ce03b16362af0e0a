import { readdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { http } from '../support/http.ts';
import { memoryGrowth } from '../support/memory-growth.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { until } from '../support/processes.ts';
import { describeOnDisks } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/world.ts';

const MIB = 1024 * 1024;
const MOST_GROWTH = 64 * MIB;

async function tokenOf(service: ServiceProcess): Promise<string> {
  return `Bearer ${(await http(service.socketPath, '/api/v2/auth/')).json.token}`;
}

/** Sends a body of any length without keeping it. */
function send(service: ServiceProcess, path: string, authorization: string, body: Iterable<Buffer>) {
  const { hostname, port } = new URL(service.url);
  const headers = { authorization, 'content-type': 'application/octet-stream' };
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request({ hostname, port, path, method: 'PUT', headers, agent: false });
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    pipeline(Readable.from(body), sent).catch(() => undefined); // a refusal closes it early; the answer counts
  });
}

function* repeated(start: string, piece: Buffer, times: number, end: string) {
  yield Buffer.from(start);
  for (let n = 0; n < times; n += 1) yield piece;
  yield Buffer.from(end);
}

describe('A description file of 250 MiB', () => {
  let service: ServiceProcess;
  let authorization: string;
  beforeAll(async () => {
    service = await startProcess({ SERVICE_DESCRIPTION_DIR: join(temporaryFolder(), 'description') });
    authorization = await tokenOf(service);
  });
  afterAll(() => service.end());

  it.each([
    ['text of one element', '<COLLADA><float_array>', '0.125 -0.25 ', '</float_array></COLLADA>'],
    ['many elements', '<COLLADA>', '<a b="c">d</a>\n', '</COLLADA>'],
    ['a comment', '<COLLADA><!--', 'as before ', '--></COLLADA>'],
  ])('arrives in constant memory as %s, and stop is answered meanwhile', async (what, start, unit, end) => {
    const piece = Buffer.from(unit.repeat(MIB / unit.length));
    let done = false;
    const growth = await memoryGrowth(service.child.pid, async () => {
      const sending = send(service, '/api/v2/meshes/arm.dae', authorization, repeated(start, piece, 250, end)).finally(
        () => {
          done = true;
        },
      );
      await until('all of it has arrived', async () => {
        const { status } = await http(service.socketPath, '/api/v2/stop', { method: 'POST' });
        expect(status).toBe(200);
        return done;
      });
      // Comments are kept while they are read: a megabyte is enough for them.
      expect((await sending).status).toBe(what === 'a comment' ? 422 : 200);
    });
    expect(growth).toBeLessThan(MOST_GROWTH);
  });

  it('is refused when it is larger than 256 MiB', async () => {
    const piece = Buffer.alloc(MIB, 'v');
    const { status } = await send(service, '/api/v2/meshes/arm.obj', authorization, repeated('', piece, 260, ''));
    expect(status).toBe(413);
    expect((await http(service.url, '/api/v2/meshes/arm.obj', { headers: { authorization } })).status).toBe(404);
  });
});

describeOnDisks('A description folder on a full disk', (mount) => {
  it('keeps what it had, and nothing of the file that was too large', async () => {
    const disk = mount(24 * MIB);
    writeFileSync(join(disk.folder, 'arm.obj'), 'v 0 0 0\n');
    writeFileSync(join(disk.folder, '.staged-4194305-0123456789abcdef'), 'of a service that was killed');
    const service = await startProcess({ SERVICE_DESCRIPTION_DIR: disk.folder });
    try {
      const authorization = await tokenOf(service);
      const piece = Buffer.alloc(MIB, 'v');
      const tooMuch = await send(service, '/api/v2/meshes/arm.obj', authorization, repeated('', piece, 30, ''));
      expect([tooMuch.status, JSON.parse(tooMuch.text).code]).toEqual([507, 'storage_full']);
      disk.fill();
      const small = await send(service, '/api/v2/meshes/arm.obj', authorization, [Buffer.from('v 1 1 1\n')]);
      expect(small.status).toBe(507);
      expect(readdirSync(disk.folder).sort()).toEqual(['arm.obj', 'filler']);
      const { text } = await http(service.url, '/api/v2/meshes/arm.obj', { headers: { authorization } });
      expect(text).toBe('v 0 0 0\n');
      const removed = await http(service.url, '/api/v2/meshes/arm.obj', {
        method: 'DELETE',
        headers: { authorization },
      });
      expect(removed.status).toBe(200);
    } finally {
      await service.end();
    }
  });
});
