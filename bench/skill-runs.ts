/**
 * `npm run bench:runs`: from the request that starts a run of a skill to its first line in the client's hands, over
 * loopback, against the bare cost of the same walls: `bwrap … python3 -c print`. The two alternate, so that what else
 * the machine does is in both. Prints medians, their ratio, and the load average. BENCH_ROUNDS (15): runs of each.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../functions/shared/config.ts';
import { bubblewrapWalls } from '../functions/shared/runs/adapters/sandbox/bubblewrap-walls.ts';
import { API_KEY, home, ROOT, startService } from './servers.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);
const PYTHON = '/usr/bin/python3';
const SKILLS: Readonly<Record<string, string>> = {
  'a function without a robot':
    'def skill(function):\n    return function\n\n@skill\ndef hello():\n    print("hello")\n',
  'with `from robot_rest import skill`': 'from robot_rest import skill\n\n@skill\ndef hello():\n    print("hello")\n',
  'async, connected to its robot':
    'from robot_rest import skill\n\n@skill\nasync def hello(robot):\n    print("hello")\n',
};

execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], { stdio: 'ignore' });
const service = await startService({ SERVICE_SKILL_PYTHON: PYTHON });
const base = `http://127.0.0.1:${service.port}/api/v2`;
const signedIn = await fetch(`${base}/auth/`, { headers: { 'x-api-key': API_KEY } });
const headers = { authorization: `Bearer ${(await jsonOf(signedIn)).token}` };
const { config } = loadConfig({ HOME: home, PATH: process.env.PATH });
const walls = [...bubblewrapWalls(config, []), '--remount-ro', '/', '--', PYTHON, '-I', '-B', '-c', 'print("hello")'];

/** From the start of bubblewrap to the first output, in ms. */
async function bare(): Promise<number> {
  const started = performance.now();
  const child = spawn('bwrap', walls, { cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  const took = performance.now() - started;
  await ended;
  return took;
}

/** From the request to the first line, in ms. Returns when the run has ended. */
async function run(skill: string): Promise<number> {
  const started = performance.now();
  const json = { ...headers, 'content-type': 'application/json' };
  const answer = await fetch(`${base}/runs/`, { method: 'POST', headers: json, body: JSON.stringify({ skill }) });
  const { id, sandbox } = await jsonOf(answer);
  if (sandbox !== 'bubblewrap') throw new Error(`The sandbox is "${sandbox}": install bubblewrap.`);
  const logs = await fetch(`${base}/runs/${id}/logs?follow=true`, { headers });
  let took: number | undefined;
  for await (const chunk of logs.body ?? []) {
    if (took === undefined && Buffer.from(chunk).includes('hello')) took = performance.now() - started;
  }
  if (took === undefined) throw new Error(`no line: ${await (await fetch(`${base}/runs/${id}`, { headers })).text()}`);
  return took;
}

async function upload(skill: string, text: string): Promise<void> {
  const form = new FormData();
  form.append('skill', new File([text], `${skill}.py`));
  const answer = await fetch(`${base}/skill/upload/`, { method: 'POST', headers, body: form });
  await jsonOf(answer);
}

async function jsonOf(answer: Response): Promise<Record<string, unknown>> {
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Record<string, unknown>; // as: every answer here is an object
}

const median = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

process.stdout.write('| skill | first line, ms | bare bwrap, ms | ratio | load average |\n|---|--:|--:|--:|--:|\n');
for (const [index, [name, text]] of Object.entries(SKILLS).entries()) {
  const skill = `hello_${index}`;
  await upload(skill, text);
  await run(skill);
  await bare();
  const times: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  for (let round = 0; round < ROUNDS; round++) {
    times.ours.push(await run(skill));
    times.bare.push(await bare());
  }
  const [ours, theirs] = [median(times.ours), median(times.bare)];
  const [load = 0] = loadavg();
  process.stdout.write(
    `| ${name} | ${Math.round(ours)} | ${Math.round(theirs)} | ${(ours / theirs).toFixed(1)} | ${load.toFixed(1)} |\n`,
  );
}
await service.stop();
