/** Other routes of the service, each compared with the same work on plain node:http. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JOURNAL_REMOTE, writeJournal } from '../test/support/journal.ts';
import { drive, type Measured, median } from './load.ts';
import type { RouteRow } from './results.ts';
import { home, type Running, startPeer, startService } from './servers.ts';
import { tokenOf } from './token.ts';

const ROWS = 10_000;
const LINES = 10_000;
const UNIT = 'robot-driver.service';
const TABLE = 'robots_table';
const DATA = join(home, 'routes');
const JOURNAL = join(DATA, 'journal');
const DESCRIPTION = join(DATA, 'description');

interface Work {
  readonly name: string;
  readonly connections: number;
  readonly path: string;
  readonly method?: 'GET' | 'PUT';
  readonly body?: unknown;
}

const item = (id: number) => encodeURIComponent(JSON.stringify({ tablename: TABLE, item: { id } }));

const WORKS: readonly Work[] = [
  { name: 'JWKS', connections: 32, path: '/.well-known/jwks.json' },
  { name: 'a new token', connections: 32, path: '/api/v2/auth/refresh/' },
  { name: 'one row read', connections: 32, path: `/api/v2/database/read_item/?data=${item(77)}` },
  {
    name: 'one row updated',
    connections: 32,
    path: '/api/v2/database/update_item/',
    method: 'PUT',
    body: { tablename: TABLE, item: { id: 77 }, attribute: 'color', new_value: 'red' },
  },
  { name: `${ROWS} rows read`, connections: 4, path: `/api/v2/database/read/?tablename=${TABLE}` },
  { name: 'a mesh of 1 MB', connections: 8, path: '/api/v2/meshes/body.stl' },
  { name: `${LINES} log lines`, connections: 1, path: `/api/v2/service/head/${UNIT}?lines=${LINES}` },
];

/** Drives both servers through each route, in turn. Skips logs if no journal can be created. */
export async function routeRows(rounds: number, seconds: number): Promise<RouteRow[]> {
  const logs = existsSync(JOURNAL_REMOTE);
  await prepare(logs);
  const settings = {
    SERVICE_DATA_DIR: DATA,
    SERVICE_DESCRIPTION_DIR: DESCRIPTION,
    SERVICE_MODE: 'robot',
    SERVICE_JOURNAL_DIR: JOURNAL,
    SERVICE_ALLOWED_UNITS: `head=${UNIT}`,
  };
  const service = await startService(settings);
  const token = await tokenOf(service);
  await fill(service, token);
  const bare = await startPeer('bare-routes', { DATABASE: join(DATA, 'robot.sqlite'), DESCRIPTION, JOURNAL });
  const rows: RouteRow[] = [];
  for (const work of WORKS.filter(({ name }) => logs || !name.includes('log lines'))) {
    const times: { service: Measured[]; bare: Measured[] } = { service: [], bare: [] };
    for (let round = 0; round <= rounds; round += 1) {
      const duration = round === 0 ? 1 : seconds;
      const [theirs, ours] = [await once(bare, work, token, duration), await once(service, work, token, duration)];
      if (round === 0) continue;
      times.bare.push(theirs);
      times.service.push(ours);
    }
    const { name, connections } = work;
    rows.push({ name, connections, service: median(times.service), bare: median(times.bare) });
  }
  await Promise.all([service.stop(), bare.stop()]);
  return rows;
}

function once({ port }: Running, { path, method = 'GET', body, connections }: Work, token: string, seconds: number) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return drive({ url: `http://127.0.0.1:${port}${path}`, method, headers, ...sent, connections, seconds });
}

async function prepare(logs: boolean): Promise<void> {
  mkdirSync(DESCRIPTION, { recursive: true });
  writeFileSync(join(DESCRIPTION, 'body.stl'), Buffer.alloc(1024 * 1024, 'facet'));
  if (!logs) return;
  const start = (Date.now() - 30 * 60_000) * 1000;
  const entries = Array.from({ length: LINES }, (_, n) => ({
    at: start + n * 1000,
    unit: UNIT,
    message: `step ${n} done`,
  }));
  await writeJournal(JOURNAL, entries);
}

/** Rows are imported from a CSV file, as an integrator would. */
async function fill({ port }: Running, token: string): Promise<void> {
  const lines = Array.from({ length: ROWS }, (_, n) => `${n + 1},robot ${n + 1},/images/body-${n + 1}.png,,#2196f3`);
  mkdirSync(join(DATA, 'exports'), { recursive: true });
  writeFileSync(
    join(DATA, 'exports', `${TABLE}.csv`),
    `id,name,body_image,head_image,color\r\n${lines.join('\r\n')}\r\n`,
  );
  const answer = await fetch(`http://127.0.0.1:${port}/api/v2/database/import_table/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ tablename: TABLE }),
  });
  if (!answer.ok) throw new Error(`the rows could not be imported: ${await answer.text()}`);
}
