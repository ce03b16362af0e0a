/**
 * `npm run soak -- --seconds 60 --connections 500`: mixed traffic on the production build, including hang-ups and slow
 * readers. Exits with 1 and the reasons if a response was unexpected, memory grew by 64 MiB or more, something stayed
 * open, or a temporary file was left behind.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Random } from '../test/support/random.ts';
import { home, ROOT, startService } from './servers.ts';
import { Client } from './soak/client.ts';
import { Findings } from './soak/findings.ts';
import { actOnce, TABLE } from './soak/traffic.ts';
import { dataFolder, holdingsOf, loggedErrors, temporaryFiles } from './soak/watch.ts';
import { tokenOf } from './token.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, connections: { type: 'string', default: '500' } },
});
const SECONDS = Number(values.seconds);
const CONNECTIONS = Number(values.connections);
if (!(SECONDS > 0 && CONNECTIONS >= 1)) throw new Error('--seconds and --connections must be positive numbers');

const MIB = 1024 ** 2;
const MAX_GROWTH = 64 * MIB;
const ROWS = 20_000;
const MAX_THINK_MS = 400; // between two actions of a client
const MAX_DATABASE_DESCRIPTORS = 64;
const MAX_REST_MS = 30_000; // until everything that clients left behind is gone

const reasons: string[] = [];
execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], { stdio: 'ignore' });
const service = await startService({
  SERVICE_SOCKET_ACCESS_LEVEL: 'ENCHANTER',
  SERVICE_ALLOWED_UNITS: 'head=robot-*.service;base=robot-*.service',
});
const pid = Number(service.child.pid);
const token = await tokenOf(service);
await fillTables();

await traffic(SECONDS / 2); // warm up code, threads and caches
const before = await atRest();
tell(`at rest after the warm-up: ${await memoryOf()}`);
const findings = await traffic(SECONDS);
const after = await atRest(before.descriptors.length);
tell(`at rest after the soak: ${await memoryOf()}`);

const growth = after.memory - before.memory;
if (growth >= MAX_GROWTH) reasons.push(`memory grew by ${mib(growth)} MiB after the warm-up`);
reasons.push(...grown(before.descriptors, after.descriptors));
if (after.children.length > before.children.length)
  reasons.push(`${before.children.length} child processes became ${after.children.length}`);
for (const line of loggedErrors(join(home, 'log'))) reasons.push(`logged: ${line.slice(0, 500)}`);

await endUnderTraffic();
const left = temporaryFiles(dataFolder(home));
if (left.length > 0) reasons.push(`temporary files were left: ${left.join(' ')}`);

for (const [kind, counts] of Object.entries(findings.table())) tell(`${kind.padEnd(18)}${countsOf(counts)}`);
tell(
  `${findings.total} requests of ${CONNECTIONS} connections in ${SECONDS} s; memory ${mib(before.memory)} -> ${mib(after.memory)} MiB at rest; ` +
    `${before.descriptors.length} -> ${after.descriptors.length} descriptors`,
);
for (const reason of reasons) tell(`FAILED: ${reason}`);
process.exit(reasons.length === 0 ? 0 : 1);

/** Runs the clients for this long, and records everything that goes wrong. */
async function traffic(seconds: number, onStart: () => void = () => undefined, judge = true): Promise<Findings> {
  const seen = new Findings();
  const until = performance.now() + seconds * 1000;
  const clients = Array.from(
    { length: CONNECTIONS },
    (_, id) => new Client(id, { port: service.port, token, random: new Random(id), findings: seen }),
  );
  onStart();
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < until && service.child.exitCode === null) {
        await actOnce(client);
        await pause(client.random.below(MAX_THINK_MS));
      }
      client.close();
    }),
  );
  if (judge) reasons.push(...seen.faults());
  return seen;
}

/** Waits until the clients have left no trace, up to a limit; returns what the process then holds. */
async function atRest(atMost = Number.POSITIVE_INFINITY) {
  const end = performance.now() + MAX_REST_MS;
  let holdings = holdingsOf(pid);
  let unchanged = 0;
  while (performance.now() < end && (unchanged < 6 || holdings.descriptors.length > atMost)) {
    await pause(500);
    const now = holdingsOf(pid);
    unchanged = now.descriptors.length === holdings.descriptors.length ? unchanged + 1 : 0;
    holdings = now;
  }
  return holdings;
}

/** SIGTERM under load: every response must be the expected one or a 503, and the process must exit by itself. */
async function endUnderTraffic(): Promise<void> {
  service.child.removeAllListeners('exit');
  const exit = once(service.child, 'exit');
  const seen = await traffic(10, () => setTimeout(() => service.child.kill('SIGTERM'), 3000), false);
  const [code] = await exit;
  if (code !== 0) reasons.push(`SIGTERM under traffic ended the process with ${code}`);
  for (const [kind, counts] of Object.entries(seen.table()))
    for (const status of Object.keys(counts))
      if (/^5/.test(status) && status !== '503') reasons.push(`${kind}: ${status} while draining`);
}

async function fillTables(): Promise<void> {
  const folder = join(dataFolder(home), 'exports');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lines = Array.from({ length: ROWS }, (_, n) => `${n + 1},robot number ${n + 1}`);
  writeFileSync(join(folder, 'robots.csv'), `id,name\r\n${lines.join('\r\n')}\r\n`);
  writeFileSync(join(folder, 'routes.csv'), 'id,color\r\nkitchen,red\r\n');
  const seen = new Findings();
  const client = new Client(0, { port: service.port, token, random: new Random(0), findings: seen });
  for (const [tablename, path] of [
    [TABLE, 'robots.csv'],
    ['routes_table', 'routes.csv'],
  ])
    await client.send({
      kind: 'fill',
      method: 'POST',
      path: '/api/v2/database/import_table/',
      body: { tablename, path },
    });
  client.close();
  reasons.push(...seen.faults());
}

function countsOf(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([what, times]) => `${what}: ${times}`)
    .join('  ');
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** SQLite keeps one descriptor of its file per concurrent reader; no other descriptors may accumulate. */
function grown(had: readonly string[], has: readonly string[]): string[] {
  const isDatabase = (name: string) => name.includes('robot.sqlite');
  return [...new Set(has)].flatMap((name) => {
    const [then = 0, now = 0] = [had, has].map((names) => names.filter((each) => each === name).length);
    const most = isDatabase(name) ? Math.max(then, MAX_DATABASE_DESCRIPTORS) : then;
    return now > most ? [`${then} descriptors of ${name} became ${now}`] : [];
  });
}

/** Memory usage as reported by the service's metrics. */
async function memoryOf(): Promise<string> {
  const text = await (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text();
  const shown = ['process_resident_memory_bytes', 'nodejs_heap_size_used_bytes', 'nodejs_external_memory_bytes'];
  return shown
    .map((name) => `${name} ${mib(Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]))} MiB`)
    .join(', ');
}

function mib(bytes: number): number {
  return Math.round(bytes / MIB);
}
