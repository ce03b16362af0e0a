/**
 * `npm run bench`: this service beside its peers on loopback, in interleaved rounds, from the production build. Prints
 * tables and writes bench/results.json and the chart of the README. Needs a machine that does nothing else.
 *
 * BENCH_ROUNDS (3) and BENCH_SECONDS (3) say how often and how long each server is driven at each number of connections.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { chartOf } from './chart.ts';
import { commandRows } from './commands.ts';
import { printed, type Results } from './results.ts';
import { routeRows } from './routes.ts';
import { buildPeers, ROOT, startService } from './servers.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const STARTS = 9;

execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], { stdio: 'ignore' });
buildPeers();
const startMs = await startTime();
const { commands, memory } = await commandRows(ROUNDS, SECONDS);
const routes = await routeRows(ROUNDS, SECONDS);
const machine = { node: process.version, cpu: cpus()[0]?.model ?? '', cores: cpus().length };
const results: Results = {
  machine,
  rounds: ROUNDS,
  seconds: SECONDS,
  start_ms: startMs,
  memory_mb: memory,
  commands,
  routes,
};
process.stdout.write(printed(results));
writeFileSync(join(ROOT, 'bench', 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
writeFileSync(join(ROOT, 'docs', 'speed.svg'), chartOf(results));

/** From the start of the process to the first answer, from the build, in ms: the middle one of several. */
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
