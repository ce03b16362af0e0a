/**
 * `npm run bench:stop`: how long a stop takes from its last byte to the link, while the service is under attack. Each
 * row runs a fresh production build of the service on one core; clients and the far end of the link run on the other.
 * Prints a table and writes bench/stop-results.json; exits with 1 if the target was missed. Needs Linux, two cores,
 * mosquitto, and an otherwise idle machine.
 *
 * BENCH_STOPS (100) sets the number of stops per row over TCP, and again over the Unix socket. Arguments select rows by
 * part of their name; nothing is written then.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { NetConnectOpts } from 'node:net';
import { cpus, getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { databaseFile, homeWithRobots } from '../test/support/database-file.ts';
import { http } from '../test/support/http.ts';
import { descendantsOf, processesWith } from '../test/support/processes.ts';
import { home, ROOT, type Running, startService } from './servers.ts';
import type { LoadName, Where } from './stop/load.ts';
import { HEAD, lineOf, missesOf, type StopResults, type StopRow } from './stop/results.ts';
import { ROWS, type Row, type ServiceState, startRobot } from './stop/rows.ts';
import { spreadOf, stopOften } from './stop/stops.ts';

const STOPS = Number(process.env.BENCH_STOPS ?? 100);
const [SERVICE_CORE, CLIENT_CORE] = ['0', '1'];
/** What a service does on SIGUSR2. */
const ON_SIGNAL: Partial<Record<ServiceState, string>> = {
  blocked: `--require ${join(ROOT, 'test/support/block-on-signal.cjs')}`,
  'out of memory': `--max-old-space-size=128 --require ${join(ROOT, 'test/support/exhaust-on-signal.cjs')}`,
};
const TABLE_ROWS = 1_000_000;
const SETTLE_MS = 1_000;
const TARGET = { p99_ms: 50, peak_mib: 250, guard: { p99_ms: 10, peak_mib: 60 } };
/** A guard whose service was killed ends itself after 5 s; on a robot it is a unit of its own and stays. */
const ORPHAN_STOPS = 60;

/** Runs one row. */
async function measure(row: Row): Promise<StopRow[]> {
  const robot = await startRobot(row);
  const database: Record<string, string> = row.rows ? { SERVICE_DATABASE_URL: await millionRows() } : {};
  const settings = { SERVICE_SOCKET_ACCESS_LEVEL: 'ENCHANTER', ...robot.settings, ...database };
  const limit = row.descriptors === undefined ? [] : ['prlimit', `--nofile=${row.descriptors}`];
  const NODE_OPTIONS = (row.guard && ON_SIGNAL[row.guard]) ?? '';
  const service = await startService({ ...settings, NODE_OPTIONS }, [...limit, 'taskset', '-c', SERVICE_CORE]);
  const socketPath = join(home, `${service.port}.sock`);
  const token = await tokenFor(robot.prefix, socketPath);
  if (row.fleet) await introduceHostileRobot(socketPath);
  const where = { port: service.port, socketPath, token, brokerUrl: robot.brokerUrl };
  const load = row.load && (await startLoad(row.load, where));
  if (row.flood) robot.flood?.(row.flood());
  await pause(SETTLE_MS);
  const listeners = row.guard
    ? await guardOf(service)
    : { port: service.port, path: socketPath, pid: service.child.pid };
  const places: Record<string, NetConnectOpts> = {
    TCP: { port: listeners.port, host: '127.0.0.1' },
    socket: { path: listeners.path },
  };
  const recover = disable(service, row.guard);
  const orphans = row.guard === 'killed' || row.guard === 'out of memory';
  const count = orphans ? Math.min(STOPS, ORPHAN_STOPS) : STOPS;
  const results = await stopOften(count, places, requestFor(robot.prefix, token), robot.end);
  const peak = peakMib(listeners.pid);
  load?.kill('SIGKILL');
  recover();
  await service.stop();
  await robot.end.close();
  return Object.entries(results).map(([over, { stops, failures }]) => {
    for (const reason of new Set(failures)) process.stderr.write(`${row.name}, over ${over}: ${reason}\n`);
    return {
      name: row.name,
      over,
      stops: stops.length,
      failed: failures.length,
      to_link: spreadOf(stops.map(({ toLink }) => toLink)),
      to_answer: spreadOf(stops.map(({ toAnswer }) => toAnswer)),
      peak_mib: peak,
    };
  });
}

async function tokenFor(prefix: string, socketPath: string): Promise<string> {
  const { status, headers } = await http(socketPath, `${prefix}/api/v2/auth/`);
  if (status !== 200) throw new Error(`${prefix}: got ${status} instead of a token`);
  return String(headers.authorization).slice('Bearer '.length);
}

/** Makes the service subscribe to the robot "evil". */
async function introduceHostileRobot(socketPath: string): Promise<void> {
  const authorization = `Bearer ${await tokenFor('/evil/rest', socketPath)}`;
  await http(socketPath, '/evil/rest/api/v2/commands/', { headers: { authorization } });
}

function requestFor(prefix: string, token: string): string {
  const lines = [
    `POST ${prefix}/api/v2/stop HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${token}`,
    'connection: close',
    'content-length: 0',
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Lowers the priority of the load, so that its use of the clients' core does not count as the service's time. */
async function startLoad(name: LoadName, where: Where) {
  const program = join(ROOT, 'bench', 'stop', 'load.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', program, name, JSON.stringify(where)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  setPriority(child.pid ?? 0, Math.min(19, getPriority() + 10));
  await once(child.stdout, 'data');
  return child;
}

/** Where the guard of a service listens, and its process. */
async function guardOf({ port, child }: Running) {
  for (;;) {
    const { stop, robot } = (await http(`http://127.0.0.1:${port}`, '/status')).json;
    const [pid] = descendantsOf(child.pid).filter((each) => processesWith('guard.js').includes(each));
    // That of the row before may still be there.
    const isOwn = stop?.port === port + 2 && pid !== undefined;
    if (isOwn && robot === 'connected') return { port: stop.port, path: stop.socket, pid };
    await pause(SETTLE_MS);
  }
}

/** Puts a service into a state in which it cannot stop the robot; the returned function ends that. */
function disable({ child }: Running, state: ServiceState | undefined): () => void {
  if (state === 'killed') child.kill('SIGKILL');
  if (state === 'frozen') child.kill('SIGSTOP');
  // Each signal blocks it for 5 s; the next is taken as soon as it is free.
  const blocking = state === 'blocked' ? setInterval(() => child.kill('SIGUSR2'), 1_000) : undefined;
  if (state === 'blocked' || state === 'out of memory') child.kill('SIGUSR2');
  return () => {
    clearInterval(blocking);
    child.kill('SIGCONT');
  };
}

/** Peak memory of a process, in MiB. */
function peakMib(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024);
}

let database: string | undefined;
async function millionRows(): Promise<string> {
  if (database === undefined) {
    const folder = join(home, 'million');
    await homeWithRobots(folder, TABLE_ROWS);
    database = `sqlite:///${databaseFile(folder)}`;
  }
  return database;
}

execFileSync('taskset', ['-apc', CLIENT_CORE, String(process.pid)], { stdio: 'ignore' });
execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], { stdio: 'ignore' });
const wanted = process.argv.slice(2);
const chosen = ROWS.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
const rows: StopRow[] = [];
process.stdout.write(`${HEAD}\n`);
for (const row of chosen) {
  const measured = await measure(row);
  rows.push(...measured);
  for (const each of measured) process.stdout.write(`${lineOf(each)}\n`);
}
const machine = { node: process.version, cpu: cpus()[0]?.model ?? '', cores: cpus().length };
const results: StopResults = { machine, aim: TARGET, rows };
const misses = missesOf(results);
for (const miss of misses) process.stdout.write(`MISSED: ${miss}\n`);
if (wanted.length === 0) {
  writeFileSync(join(ROOT, 'bench', 'stop-results.json'), `${JSON.stringify(results, null, 2)}\n`);
}
process.exit(misses.length === 0 ? 0 : 1);
