import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '../support/processes.ts';
import { PARENTS, rowOf, TABLES } from '../support/rows.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

const TABLE = '/api/v2/database/tables/robots_table.csv';
const HEAD = 'id,name,body_image,head_image,color';

describe('Tables as CSV', () => {
  const dataDir = temporaryFolder();
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ settings: { SERVICE_DATA_DIR: dataDir } });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    await service.as('USER', '/api/v2/clear_database');
    for (const [tablename, item] of PARENTS) {
      await service.as('USER', '/api/v2/database/add_item/', { method: 'POST', body: { tablename, item } });
    }
  });

  const put = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    service.as('USER', path, { method: 'PUT', body, headers: { 'content-type': 'text/csv', ...headers } });
  const rows = async () => (await service.as('USER', '/api/v2/database/read/?tablename=robots_table')).json;
  const snapshots = async () => (await service.as('ADMIN', '/api/v2/database/backups/')).json.backups;
  const leftovers = () => readdirSync(join(dataDir, 'backups')).filter((name) => !name.startsWith('snapshot-'));

  it('are listed with their columns, what these refer to, and the number of rows', async () => {
    const { status, json } = await service.as('USER', '/api/v2/database/tables/');
    expect(status).toBe(200);
    expect(json.tables.map(({ name }: { name: string }) => name)).toEqual(TABLES.map(({ name }) => name));
    const animations = json.tables.find(({ name }: { name: string }) => name === 'animations_table');
    expect(animations.columns).toContainEqual({
      name: 'robot_id',
      type: 'int',
      nullable: true,
      default: null,
      references: { table: 'robots_table', column: 'id' },
    });
    expect(json.tables.find(({ name }: { name: string }) => name === 'robots_table').rows).toBe((await rows()).length);
  });

  it.each(TABLES.map((table) => [table.name, table] as const))(
    '%s: what is downloaded puts every row back as it was',
    async (tablename, table) => {
      for (const number of [11, 12]) {
        const body = { tablename, item: rowOf(table, number) };
        await service.as('USER', '/api/v2/database/add_item/', { method: 'POST', body });
      }
      const read = async () => (await service.as('USER', `/api/v2/database/read/?tablename=${tablename}`)).json;
      const before = await read();
      const path = `/api/v2/database/tables/${tablename}.csv`;
      const { headers, bytes } = await service.as('USER', path);
      expect(headers).toMatchObject({
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': `attachment; filename="${tablename}.csv"`,
        'x-total-count': String(before.length),
      });
      const same = { inserted: 0, updated: 0, unchanged: before.length, backup: null };
      expect((await put(path, bytes)).json).toEqual(same);
      const key = { tablename, item: { id: before.at(-1).id } };
      await service.as('USER', '/api/v2/database/delete_item/', { method: 'DELETE', body: key });
      expect((await put(path, bytes)).json).toMatchObject({ inserted: 1, updated: 0, unchanged: before.length - 1 });
      expect(await read()).toEqual(before);
    },
  );

  it('take a file: known keys are replaced, others added, and what the file does not name stays', async () => {
    const [kept] = await rows();
    await put(TABLE, `${HEAD}\r\n501,A,,,\r\n502,B,,,\r\n`);
    const file = `${HEAD}\n501,A,,,\n502,B2,,,red\n503,"",,,\n`;
    const dry = await put(`${TABLE}?dry_run=true`, file);
    expect(dry.json).toEqual({ inserted: 1, updated: 1, unchanged: 1, backup: null });
    expect((await rows()).length).toBe(3);
    const before = await rows();
    const { json } = await put(TABLE, file, { 'content-type': 'text/csv; charset=utf-8; header=present' });
    expect(json).toEqual({ ...dry.json, backup: (await snapshots())[0].name });
    const after = await rows();
    expect(after[0]).toEqual(kept);
    expect(after.slice(1).map(({ id, name, color }: Record<string, unknown>) => [id, name, color])).toEqual([
      [501, 'A', null],
      [502, 'B2', 'red'],
      [503, '', null],
    ]);
    await service.as('ADMIN', '/api/v2/database/restore/', { method: 'POST', body: { backup: json.backup } });
    expect(await rows()).toEqual(before);
  });

  it.each<[string, string | Buffer, RegExp]>([
    [
      'a wrong line at the end',
      `${HEAD}\n${Array.from({ length: 5_000 }, (_, n) => `${n + 600},x,,,\n`).join('')}no,x,,,\n`,
      /line 5002, column "id"/,
    ],
    ['a last line that was cut off', `${HEAD}\n601,x,,,\n602,x,`, /line 3: it has 3 fields/],
    ['a quote that never closes', `${HEAD}\n601,"x,,,\n602,x,,,\n`, /line 2/],
    ['another character set', Buffer.from(`${HEAD}\n601,caf\xe9,,,\n`, 'latin1'), /not UTF-8/],
    ['an unknown column', 'id,wheels\n1,4\n', /no such column/],
    ['one key twice', `${HEAD}\n601,x,,,\n601,y,,,\n`, /line 2 already/],
    ['nothing', '', /header line/],
  ])('refuse a file with %s as a whole, and name the line', async (_what, file, reason) => {
    const before = [await rows(), (await snapshots()).length];
    for (const path of [TABLE, `${TABLE}?dry_run=true`]) {
      const { status, json } = await put(path, file);
      expect([status, json.code, json.errors[0].pointer]).toEqual([422, 'invalid_csv', '']);
      expect(json.detail).toMatch(reason);
    }
    expect([await rows(), (await snapshots()).length]).toEqual(before);
    expect(leftovers()).toEqual([]);
  });

  it('refuse a row that refers to nothing', async () => {
    const { status, json } = await put('/api/v2/database/tables/tts_table.csv', 'id,robot_id\n1,987654\n');
    expect([status, json.code, json.errors[0].pointer]).toEqual([409, 'conflict', '']);
  });

  it.each<[string, string, Record<string, string>, number, string]>([
    ['an unknown table', '/api/v2/database/tables/secrets.csv', {}, 404, 'unknown_table'],
    ['another media type', TABLE, { 'content-type': 'application/json' }, 415, 'unsupported_media_type'],
    ['another character set', TABLE, { 'content-type': 'text/csv; charset=latin1' }, 415, 'unsupported_media_type'],
    ['compression', TABLE, { 'content-encoding': 'gzip' }, 415, 'unsupported_media_type'],
    ['an unclear dry run', `${TABLE}?dry_run=maybe`, {}, 422, 'validation_failed'],
  ])('refuse %s', async (_what, path, headers, status, code) => {
    const answer = await put(path, `${HEAD}\n`, headers);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  /** Sends the start of a PUT and leaves the connection open. */
  async function begin(length: number, start: string) {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    const head = [`PUT ${TABLE} HTTP/1.1`, `Host: ${hostname}`, `Authorization: Bearer ${await service.token('USER')}`];
    socket.write(`${[...head, 'Content-Type: text/csv', `Content-Length: ${length}`].join('\r\n')}\r\n\r\n${start}`);
    return { socket, text: () => text };
  }

  it('refuse more than 256 MiB before any of it was sent', async () => {
    const { socket, text } = await begin(256 * 1024 * 1024 + 1, '');
    await until('the answer came', () => text().includes('too_large'));
    expect(text()).toContain('HTTP/1.1 413');
    socket.destroy();
  });

  it('change nothing and leave nothing behind when the client hangs up in the middle', async () => {
    const before = await rows();
    const { socket } = await begin(100_000, `${HEAD}\n601,x,,,\n`);
    await until('the file arrives', () => leftovers().length === 1);
    const second = await put(TABLE, `${HEAD}\n602,x,,,\n`);
    expect([second.status, second.json.code]).toEqual([409, 'busy']);
    socket.destroy();
    await until('it is gone', () => leftovers().length === 0 && service.inFlight.size === 0);
    expect(await rows()).toEqual(before);
    expect((await put(TABLE, `${HEAD}\n602,x,,,\n`)).status).toBe(200);
  });
});

describe('On a full disk', () => {
  it('a table is read, and an upload is 507 with nothing changed', async () => {
    const service = await startTestService({ settings: { SERVICE_MIN_FREE: '999999999999999' } });
    expect((await service.as('USER', TABLE)).text).toBe(`${HEAD}\r\n`);
    const call = { method: 'PUT', headers: { 'content-type': 'text/csv' }, body: `${HEAD}\n1,x,,,\n` };
    const { status, json } = await service.as('USER', TABLE, call);
    expect([status, json.code]).toEqual([507, 'storage_full']);
    await service.stop();
  });
});

describe('A slow upload', () => {
  it('may take longer than other requests, and the next request on its connection may not', async () => {
    const quick = { requestTimeoutMs: 3_000, headersTimeoutMs: 3_000, checkIntervalMs: 50, keepAliveTimeoutMs: 60_000 };
    const service = await startTestService({ limits: quick });
    await service.as('USER', TABLE); // opens the database
    const { hostname, port } = new URL(service.url);
    const authorization = `Authorization: Bearer ${await service.token('USER')}`;
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    const send = (line: string) => socket.write(`${line}\r\n`);
    const begin = (request: string, length: number, type: string) =>
      send(
        [`${request} HTTP/1.1`, `Host: ${hostname}`, authorization, type, `Content-Length: ${length}\r\n`].join('\r\n'),
      );
    const lines = [HEAD, ...Array.from({ length: 15 }, (_, index) => `${index + 1},x,,,`)];
    begin(
      `PUT ${TABLE}`,
      lines.reduce((sum, line) => sum + line.length + 2, 0),
      'Content-Type: text/csv',
    );
    const started = performance.now();
    for (const line of lines) {
      send(line);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    await until('the answer', () => text.includes('"inserted"'));
    expect(performance.now() - started).toBeGreaterThan(quick.requestTimeoutMs);
    expect(text).toContain('"inserted":15');
    begin('POST /api/v2/database/add_item/', 100, 'Content-Type: application/json');
    await until('the refusal of a request that never ends', () => text.includes('408'));
    socket.destroy();
    await service.stop();
  });
});
