import { readdirSync, statSync } from 'node:fs';
import { get } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseFile, homeWithRobots } from '../support/database-file.ts';
import { type HttpAnswer, type HttpCall, http } from '../support/http.ts';
import { memoryGrowth } from '../support/memory-growth.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { temporaryFolder } from '../support/world.ts';

const ROWS = 400_000;
/** A fraction of what the rows would take; the collector of a busy machine comes late. */
const MOST_GROWTH = 80 * 1024 ** 2;
const READ = '/api/v2/database/read/?tablename=robots_table';
const GIBIBYTE = 1024 ** 3;

const home = temporaryFolder();
let service: ServiceProcess;
let authorization: string;

beforeAll(async () => {
  await homeWithRobots(home, ROWS);
  service = await startProcess({ HOME: home, SERVICE_BACKUP_MAX_BYTES: String(50 * GIBIBYTE) });
  authorization = `Bearer ${(await http(service.socketPath, '/api/v2/auth/')).json.token}`;
  // What every kind of work needs once (threads, connections, compiled code) is no growth.
  await ask('GET', '/api/v2/database/read/?tablename=robots_table&limit=5000');
  await ask('POST', '/api/v2/database/export_table/', { tablename: 'routes_table' });
  await ask('POST', '/api/v2/database/import_table/', { tablename: 'routes_table' });
});
afterAll(() => service.end());

function ask(method: string, path: string, body?: unknown): Promise<HttpAnswer> {
  const call: HttpCall = { method, headers: { authorization }, ...(body === undefined ? {} : { body }) };
  return http(service.url, path, call);
}

/** Reads an answer without keeping it: its rows are counted by their ends. */
function countRows(path: string, slowly = false): Promise<{ rows: number; total: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    get(`${service.url}${path}`, { headers: { authorization } }, async (response) => {
      let rows = 0;
      let bytes = 0;
      try {
        for await (const chunk of response as AsyncIterable<Buffer>) {
          for (const byte of chunk) if (byte === 0x7d) rows += 1; // }
          bytes += chunk.length;
          if (slowly && bytes < 2_000_000) await pause(20);
        }
        resolve({ rows, total: Number(response.headers['x-total-count']), bytes });
      } catch (error) {
        reject(error as Error); // as: streams fail with errors
      }
    }).on('error', reject);
  });
}

const openFiles = () => readdirSync(`/proc/${service.child.pid}/fd`).length;

describe(`A table of ${ROWS} rows`, () => {
  it.each([false, true])('is read with constant memory (slow reader: %p)', async (slowly) => {
    const growth = await memoryGrowth(service.child.pid, async () => {
      expect(await countRows(READ, slowly)).toMatchObject({ rows: ROWS, total: ROWS });
    });
    expect(growth).toBeLessThan(MOST_GROWTH);
  });

  it.each(['export', 'import'])('is processed by an %s with constant memory', async (what) => {
    const body = { tablename: 'robots_table', path: 'large.csv' };
    const growth = await memoryGrowth(service.child.pid, async () => {
      expect((await ask('POST', `/api/v2/database/${what}_table/`, body)).json).toMatchObject({ rows: ROWS });
    });
    expect(statSync(join(dirname(databaseFile(home)), 'exports', body.path)).size).toBeGreaterThan(10_000_000);
    expect(growth).toBeLessThan(MOST_GROWTH);
  });

  it('is released when clients hang up early', async () => {
    await Promise.all(Array.from({ length: 8 }, () => hangUp()));
    const before = openFiles();
    for (let n = 0; n < 5; n++) await Promise.all(Array.from({ length: 8 }, () => hangUp()));
    await ask('GET', `${READ}&limit=1`);
    while (openFiles() > before) await pause(50);
    expect(openFiles()).toBeLessThanOrEqual(before);
  });

  it('does not block commands while it is read, exported, imported, cleared or restored', async () => {
    const body = { tablename: 'robots_table', path: 'large.csv' };
    const works: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
      ['read', () => countRows(READ)],
      ['export', () => ask('POST', '/api/v2/database/export_table/', body)],
      ['import', () => ask('POST', '/api/v2/database/import_table/', body)],
      ['clear', () => ask('DELETE', '/api/v2/database/clear_table/?tablename=robots_table')],
      ['restore', restoreNewest],
    ];
    const counts: Record<string, number> = {};
    for (const [name, work] of works) {
      let under = true;
      const outcome = work().finally(() => {
        under = false;
      });
      let answered = 0;
      while (under) {
        expect((await ask('GET', '/api/v2/get/get_battery_level')).status).toBe(200);
        answered += 1;
      }
      await outcome;
      // A held-up event loop would answer one or two commands, before and after; a fast machine restores while 17 are answered.
      counts[name] = answered;
    }
    expect(Object.entries(counts).filter(([, answered]) => answered < 6)).toEqual([]);
    expect(await countRows(READ)).toMatchObject({ rows: ROWS });
  });

  async function restoreNewest(): Promise<unknown> {
    const { backups } = (await ask('GET', '/api/v2/database/backups/')).json;
    return ask('POST', '/api/v2/database/restore/', { backup: backups[0].name });
  }

  /** Takes the first bytes of the table and goes away. */
  function hangUp(): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = get(`${service.url}${READ}`, { headers: { authorization }, agent: false }, (response) => {
        response.once('data', () => {
          request.destroy();
          resolve();
        });
      });
      request.on('error', reject);
    });
  }
});
