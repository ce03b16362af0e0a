import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { openSystemd } from '../../functions/shared/runs/adapters/sandbox/systemd/open.ts';
import { killUnit } from '../../functions/shared/runs/adapters/sandbox/systemd/skill-unit.ts';
import { SystemdSandbox } from '../../functions/shared/runs/adapters/sandbox/systemd/systemd.ts';
import { UnitPlaces } from '../../functions/shared/runs/adapters/sandbox/systemd/unit-places.ts';
import type { Runs } from '../../functions/shared/runs/runs.ts';
import type { SkillSources } from '../../functions/shared/runs/skill-source.port.ts';
import { describeWith } from '../support/components.ts';
import { DBUSMOCK } from '../support/mocked-wifi.ts';
import { until } from '../support/processes.ts';
import { OWNER, openFakeRuns } from '../support/runs.ts';
import { PYTHON } from '../support/skill-service.ts';
import { ROOT } from '../support/sources.ts';
import {
  type PrivateBus,
  type RunningProgram,
  startPrivateBus,
  startSystemProgram,
} from '../support/system-programs.ts';
import { temporaryFolder, testConfig } from '../support/world.ts';

/** Skills of one function `f` without arguments, whose body is the name of the file. */
const BODIES: SkillSources = {
  list: async () => [],
  read: async (body) => ({
    bytes: Buffer.from(`import os, signal, sys, time\nasync def f():\n    ${SOURCES[body]}\n`),
    sha256: '',
    functions: [{ skill: body, name: 'f', args: { type: 'object' } }],
  }),
};
const SOURCES: Record<string, string> = {
  returns: 'print("out"); print("err", file=sys.stderr); return [1, "two"]',
  exits: 'os._exit(7)',
  crashes: 'os.kill(os.getpid(), signal.SIGSEGV)',
  hangs:
    'print("hangs", flush=True); signal.signal(signal.SIGTERM, signal.SIG_IGN); exec("while True: time.sleep(0.1)")',
  waits: 'import asyncio; print("waits", flush=True); await asyncio.sleep(600)',
};

// Where dbusmock is, so are D-Bus and GLib for Python.
describeWith('python3-dbusmock', DBUSMOCK, 'Runs in units of systemd, which is a stand-in here', () => {
  const { signal } = new AbortController();
  const home = temporaryFolder();
  const folder = join(home, 'runs');
  const paths = { folder, inside: undefined, packages: join(ROOT, 'clients/python/src') };
  let bus: PrivateBus;
  let systemd: RunningProgram;
  let runs: Runs;

  beforeAll(async () => {
    mkdirSync(folder);
    bus = await startPrivateBus();
    const words = [join(ROOT, 'test/support/systemd-mock.py'), folder];
    systemd = startSystemProgram(PYTHON, words, {
      folder: home,
      environment: { DBUS_SYSTEM_BUS_ADDRESS: bus.address },
    });
    const answers = () =>
      killUnit('robot-skill@x.service', bus.address).then(
        () => true,
        () => false,
      );
    await until('systemd answers', answers);
    const sandbox = new SystemdSandbox(await UnitPlaces.open(paths), bus.address);
    const opened = await openFakeRuns(undefined, {
      sources: BODIES,
      probe: async () => ({ sandbox }),
      openDoor: async (_identity, { socketPath, eventsPath }) => {
        for (const path of [socketPath, eventsPath]) writeFileSync(path, '');
        return { refuse: () => undefined, close: async () => undefined };
      },
    });
    runs = opened.runs;
  });
  afterEach(() => rmSync(join(home, 'denied'), { force: true }));
  afterAll(async () => {
    await runs?.close();
    await systemd?.stop();
    await bus?.stop();
  });

  async function start(skill: string) {
    const run = await runs.start({ skill }, OWNER, signal);
    await run.begun.wait();
    return run;
  }
  const lines = (run: Awaited<ReturnType<typeof start>>) => run.log.lastLines(10, 100);

  it('return what the function returned, and what it printed', async () => {
    const run = await start('returns');
    await runs.settled(run.id);
    expect(run.seenBy(OWNER)).toMatchObject({
      state: 'succeeded',
      result: [1, 'two'],
      sandbox: 'systemd',
      error: null,
    });
    expect(lines(run).sort()).toEqual(['err', 'out']);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['exits', 'exited', 'status 7'],
    ['crashes', 'killed', 'SIGSEGV'],
  ])('fail as systemd says when the process %s', async (skill, code, message) => {
    const run = await start(skill);
    await runs.settled(run.id);
    expect(run.seenBy(OWNER)).toMatchObject({
      state: 'failed',
      error: { code, message: expect.stringContaining(message) },
    });
  });

  it('are killed when they do not end with a stop', async () => {
    const run = await start('hangs');
    await until('it hangs', () => lines(run).includes('hangs'));
    expect(runs.stopAll()).toEqual([run.id]);
    await runs.settled(run.id);
    expect(run.state).toBe('stopped');
  });

  it('are stopped when somebody else has systemd end them', async () => {
    const run = await start('waits');
    await until('it waits', () => lines(run).includes('waits'));
    await killUnit(`robot-skill@${run.id}.service`, bus.address);
    await runs.settled(run.id);
    expect(run.state).toBe('stopped');
  });

  it('fail to start when polkit does not allow it, with what to install', async () => {
    writeFileSync(join(home, 'denied'), '');
    const run = await start('returns');
    await runs.settled(run.id);
    expect(run.seenBy(OWNER)).toMatchObject({ state: 'failed', error: { code: 'start_failed' } });
    const config = testConfig({ DBUS_SYSTEM_BUS_ADDRESS: bus.address });
    expect(await openSystemd(config, paths)).toEqual({ problem: expect.stringMatching(/polkit.*0\.106.*install\.sh/) });
  });

  it('are not offered when a unit finds that it is not kept apart', async () => {
    const config = testConfig({ DBUS_SYSTEM_BUS_ADDRESS: bus.address });
    const { problem } = (await openSystemd(config, paths)) as { problem: string }; // as: there are no walls here
    expect(problem).toMatch(/do not keep skills apart.*it sees \/etc\/passwd/);
    expect(readdirSync(folder)).toEqual([]);
  });
});
