/**
 * `npm run bench`: one authenticated JSON command with schema validation and ES256 tokens, on this service and on its
 * peers, in interleaved rounds on loopback. Prints ratios and writes bench/results.json.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { drive, type Measured, median } from './load.ts';
import { buildPeers, ROOT, type Running, residentMb, startFastApi, startPeer, startService } from './servers.ts';
import { tokenOf } from './token.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const CONNECTIONS = [1, 32, 256];
const BODY = JSON.stringify({ command: 'is_detected', value: 'rune-1' });
/** The same with an action, which the service also keeps in its audit trail; no peer has one. */
const ACTION = JSON.stringify({ command: 'set_language', value: 'en' });

execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], { stdio: 'ignore' });
buildPeers();
const started = [
  await startPeer('bare'),
  await startService(),
  await startPeer('fastify'),
  await startPeer('express'),
  await startFastApi(),
];
const servers = started.filter((server): server is Running => server !== undefined);
const service = servers.find(({ name }) => name === 'robot-rest') as Running; // as: started two lines above
const token = await tokenOf(service);
const afterStart = residentMb(service.child);
const rows: Array<{ name: string; connections: number } & Measured> = [];

for (const connections of CONNECTIONS) {
  const rounds = new Map(servers.map(({ name }) => [name, [] as Measured[]]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { name, port } of servers) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const url = `http://127.0.0.1:${port}/api/v1/str/`;
      const measured = await drive({
        url,
        method: 'POST',
        headers,
        body: BODY,
        connections,
        seconds: round === 0 ? 1 : SECONDS,
      });
      if (round > 0) rounds.get(name)?.push(measured);
    }
  }
  for (const [name, measured] of rounds) rows.push({ name, connections, ...median(measured) });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${service.port}/api/v1/str/`;
  const action = await drive({ url, method: 'POST', headers, body: ACTION, connections, seconds: SECONDS });
  rows.push({ name: 'robot-rest, audited action', connections, ...action });
}

const afterLoad = residentMb(service.child);
await Promise.all(servers.map((server) => server.stop()));
const startMs = await startTimes();
report();

/** Start-up to the first word that it listens, from the build: median of 5. */
async function startTimes(): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const one = await startService();
    times.push(one.startMs);
    await one.stop();
  }
  return Math.round(times.sort((a, b) => a - b)[2] ?? 0);
}

function report(): void {
  const rate = (name: string, connections: number) =>
    rows.find((row) => row.name === name && row.connections === connections)?.requestsPerSecond ?? Number.NaN;
  const out = (line: string) => process.stdout.write(`${line}\n`);
  out('| server | connections | requests/s | of bare node:http | p50 ms | p99 ms |');
  out('|---|--:|--:|--:|--:|--:|');
  for (const { name, connections, requestsPerSecond, p50, p99 } of rows) {
    const ratio = requestsPerSecond / rate('bare', connections);
    out(`| ${name} | ${connections} | ${Math.round(requestsPerSecond)} | ${ratio.toFixed(2)} | ${p50} | ${p99} |`);
  }
  for (const peer of ['bare', 'fastify', 'express', 'fastapi']) {
    const ratios = CONNECTIONS.map((connections) =>
      (rate('robot-rest', connections) / rate(peer, connections)).toFixed(2),
    );
    if (!ratios.includes('NaN'))
      out(`robot-rest against ${peer}: ${ratios.join(', ')} times at ${CONNECTIONS.join(', ')} connections`);
  }
  out(`start-up ${startMs} ms; memory after start ${afterStart} MB, after load ${afterLoad} MB`);
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? '', cores: cpus().length };
  const results = {
    machine,
    rounds: ROUNDS,
    seconds: SECONDS,
    rows,
    start_ms: startMs,
    memory_mb: { after_start: afterStart, after_load: afterLoad },
  };
  writeFileSync(join(ROOT, 'bench', 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
}
