/**
 * `npm run bench`: compares the production build of this service with its peers on loopback, in interleaved rounds.
 * Prints tables, and writes bench/results.json and the chart of the README. Needs an otherwise idle machine.
 *
 * `npm run bench -- --events` measures the events only, prints their table and writes nothing.
 *
 * BENCH_ROUNDS (3) and BENCH_SECONDS (3) set how often and how long each server is driven per number of connections,
 * BENCH_SCALE (1) the number of sockets with `--events`.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { chartOf } from './chart.ts';
import { commandRows } from './commands.ts';
import { EVENT_SIZES, eventRows } from './events.ts';
import { jogRow } from './jog.ts';
import { printed, printedEvents, type Results } from './results.ts';
import { routeRows } from './routes.ts';
import { buildPeers, ROOT, startService } from './servers.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const STARTS = 9;
const JOG_FRAMES = 400;

execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], { stdio: 'ignore' });
buildPeers();
if (process.argv.includes('--events')) {
  const scale = Number(process.env.BENCH_SCALE ?? 1);
  const { idle, receivers, seconds, events } = EVENT_SIZES;
  const [few, some] = [Math.ceil(idle * scale), Math.ceil(receivers * scale)];
  const rows = [...(await eventRows({ idle: few, receivers: some, seconds, events })), await jogRow(JOG_FRAMES)];
  process.stdout.write(`${printedEvents(rows).join('\n')}\n`);
  process.exit(0);
}
const startMs = await startTime();
const { commands, memory } = await commandRows(ROUNDS, SECONDS);
const routes = await routeRows(ROUNDS, SECONDS);
const events = [...(await eventRows(EVENT_SIZES)), await jogRow(JOG_FRAMES)];
const machine = { node: process.version, cpu: cpus()[0]?.model ?? '', cores: cpus().length };
const results: Results = {
  machine,
  rounds: ROUNDS,
  seconds: SECONDS,
  start_ms: startMs,
  memory_mb: memory,
  commands,
  routes,
  events,
};
process.stdout.write(printed(results));
writeFileSync(join(ROOT, 'bench', 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
writeFileSync(join(ROOT, 'docs', 'speed.svg'), chartOf(results));

/** From the start of the process to the first response, in ms: the median of several starts of the build. */
async function startTime(): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < STARTS; round += 1) {
    const one = await startService();
    await fetch(`http://127.0.0.1:${one.port}/health/live`);
    times.push(performance.now() - one.startedAt);
    await one.stop();
  }
  return Math.round(times.sort((a, b) => a - b)[Math.floor(STARTS / 2)] ?? 0);
}
