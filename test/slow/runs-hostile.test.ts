import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { processesWith, until } from '../support/processes.ts';
import { BUBBLEWRAP, processesOf, RunService } from '../support/run-service.ts';

/** Longest that other requests may take meanwhile, in ms: far from usual, so that a busy machine does not matter. */
const USUAL_MS = 10_000;

/** Runs a hostile skill, while others use the service. @returns the run. */
async function whileServing(runs: RunService, skill: string, limitMs = 4_000) {
  const { id } = await runs.run(skill, { timeout_s: 60 });
  const until = Date.now() + limitMs;
  let slowest = 0;
  let run = await runs.read(id);
  while (Date.now() < until && !['succeeded', 'failed', 'stopped'].includes(run.state)) {
    const begun = performance.now();
    expect((await runs.command('get_pose')).ok).toBe(true);
    slowest = Math.max(slowest, performance.now() - begun);
    run = await runs.read(id);
  }
  expect(slowest).toBeLessThan(USUAL_MS);
  return run;
}

function suite(settings: Record<string, string>, sandbox: string): void {
  let runs: RunService;
  beforeAll(async () => {
    runs = await RunService.start(settings);
  });
  afterAll(() => runs.stop());

  /** Ends every run by a stop of the robot, as somebody would who sees it go wrong. */
  async function stopAll() {
    const stop = await runs.service.as('USER', '/api/v2/stop', { method: 'POST' });
    expect(stop.json.stopped).toBe(true);
    for (const id of stop.json.runs_stopped ?? []) expect((await runs.ended(id)).state).toBe('stopped');
  }

  it.each([
    ['an endless loop', 'spin', 'while True: pass'],
    [
      'an endless loop that catches everything',
      'cling',
      'while True:\n    try:\n        while True: pass\n    except BaseException: pass',
    ],
    ['a flood of output', 'flood', 'while True: print("x" * 200)'],
    ['a flood of empty lines', 'drip', 'while True: print()'],
    ['a line without an end', 'line', 'import sys\nwhile True: sys.stdout.write("x" * 65536)'],
    ['a flood of requests', 'hammer', 'while True: await robot.get_pose()'],
    [
      'a flood of pipelined requests',
      'pipeline',
      [
        'import os, socket, threading',
        'def write():',
        '    while True:',
        '        try:',
        '            with socket.socket(socket.AF_UNIX) as to:',
        '                to.connect(os.environ["ROBOT_REST_SOCKET"])',
        '                threading.Thread(target=lambda: [None for _ in iter(lambda: to.recv(65536), b"")]).start()',
        '                while True: to.sendall(b"GET /status HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n" * 200)',
        '        except OSError: pass',
        'for _ in range(3): threading.Thread(target=write).start()',
        'write()',
      ].join('\n'),
    ],
  ])('%s ends with a stop, and leaves the service at work', async (_what, skill, body) => {
    runs.writeBody(skill, body);
    expect(await whileServing(runs, skill)).toMatchObject({ state: 'running', sandbox });
    await stopAll();
  });

  it.each([
    ['an exception', 'raise ValueError("wrong")', 'exception', /ValueError: wrong/],
    [
      'a flood on the descriptor of the service',
      'import os\nwhile True: os.write(3, b"{}\\n" * 1000)',
      'exception',
      /descriptor 3/,
    ],
    [
      'a word of its own on that descriptor',
      'import os\nos.write(3, b\'{"type":"ready"}\\n\')',
      'exception',
      /descriptor 3/,
    ],
    ['an error of an import', 'import nowhere', 'exception', /nowhere/],
    ['exiting with 0 before the return', 'import os\nprint("bye", flush=True)\nos._exit(0)', 'exited', /status 0/],
    ['sys.exit', 'import sys\nsys.exit(3)', 'exited', /status 3/],
    ['sys.exit with a reason', 'import sys\nsys.exit("out of tea")', 'exited', /out of tea/],
    ['a crash', 'import ctypes\nctypes.string_at(0)', 'killed|exited', /./],
    ['a result that is too large', 'return "x" * 70000', 'result_too_large', /64 KiB/],
    ['a result that is no JSON', 'return {1, 2}', 'result_not_json', /set/],
    ['a result that is no number', 'return float("nan")', 'result_not_json', /JSON/],
    ['a result beyond all numbers', 'return [10 ** 400]', 'result_not_json', /too large/],
    [
      'a forged result that is too large',
      'import os\nos.write(3, b"x" * 600000)\nawait robot.sleep(60)',
      'result_too_large',
      /64 KiB/,
    ],
    ['eating memory', 'x = []\nwhile True: x.append(bytes(1 << 24))', 'exception|killed', /Memory|SIGKILL/],
  ])('%s is told as a failure', async (what, body, code, message) => {
    const skill = what.replace(/\W/g, '_');
    runs.writeBody(skill, body);
    const run = await runs.complete(skill);
    expect(run.state).toBe('failed');
    expect(run.error.code).toMatch(new RegExp(`^(${code})$`));
    expect(run.error.message).toMatch(message);
  });

  it('an exception shows its last lines, of standard output and error', async () => {
    runs.writeBody('last', 'for n in range(30): print(n)\nraise ValueError("wrong")');
    const { error } = await runs.complete('last');
    expect(error.last_lines).toHaveLength(20);
    expect(error.last_lines.at(-1)).toBe('ValueError: wrong');
  });

  it('closed output and an ignored request to end do not keep a run alive beyond its time', async () => {
    runs.writeBody(
      'deaf',
      'import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nos.close(1); os.close(2)\nwhile True: time.sleep(1)',
    );
    const run = await runs.complete('deaf', { timeout_s: 1 });
    expect(run).toMatchObject({ state: 'failed', error: { code: 'run_timeout' } });
  });

  it('a file that is replaced or removed meanwhile changes nothing for the run', async () => {
    runs.writeBody('gone', 'print("waiting", flush=True)\nawait robot.sleep(1)\nimport json\nreturn "as it was"');
    const { id } = await runs.run('gone');
    await runs.printed(id, 'waiting');
    runs.writeBody('gone', 'return "new"');
    rmSync(join(runs.service.ports.config.SERVICE_SKILLS_DIR, 'gone.py'));
    expect((await runs.ended(id)).result).toBe('as it was');
    expect((await runs.post('/api/v2/runs/', { skill: 'gone' })).json.code).toBe('skill_not_found');
  });

  it('a hundred starts at once give one run, and a stop is answered meanwhile', async () => {
    runs.writeBody('one', 'print("one", flush=True)\nawait robot.sleep(600)');
    const starts = Array.from({ length: 100 }, () => runs.post('/api/v2/runs/', { skill: 'one' }));
    const stop = runs.service.as('USER', '/api/v2/stop', { method: 'POST' });
    expect((await stop).json.stopped).toBe(true);
    const statuses = (await Promise.all(starts)).map(({ status }) => status);
    expect(new Set(statuses)).not.toContain(500);
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(2);
    await stopAll();
  });

  it('a stop right after the start leaves nothing alive, at whatever moment', async () => {
    runs.writeBody('early', 'import time\nwhile True: time.sleep(1)');
    for (let ms = 0; ms < 200; ms += 10) {
      const { id } = await runs.run('early');
      await new Promise((resolve) => setTimeout(resolve, ms));
      await runs.service.as('USER', '/api/v2/stop', { method: 'POST' });
      expect((await runs.ended(id)).state).toBe('stopped');
      await until('nothing of it is left', () => processesOf(id).length === 0);
    }
  });

  if (sandbox === 'none') return;

  it('a fork bomb stays small, and ends with a stop', async () => {
    runs.writeBody(
      'bomb',
      'import os\nprint("forking", flush=True)\nwhile True:\n    try: os.fork()\n    except OSError: pass',
    );
    const { id, state } = await whileServing(runs, 'bomb');
    expect(state).toBe('running');
    expect(processesOf(id).length).toBeLessThan(80);
    await stopAll();
    await until('nothing of it is left', () => processesOf(id).length === 0);
  });

  it('what a skill starts and leaves behind ends with the run, in a session of its own too', async () => {
    runs.writeBody(
      'leave',
      'import subprocess\nsubprocess.Popen(["sleep", "987654"], start_new_session=True)\nreturn "left"',
    );
    expect((await runs.complete('leave')).result).toBe('left');
    await until('nothing of it is left', () => processesWith('sleep 987654').length === 0);
  });
}

describeWith('bubblewrap', BUBBLEWRAP, 'A hostile skill under bubblewrap', () => suite({}, 'bubblewrap'));
describe('A hostile skill without a sandbox', () => suite({ PATH: '/nonexistent' }, 'none'));
