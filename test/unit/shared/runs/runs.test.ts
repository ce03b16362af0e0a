import { describe, expect, it } from '@jest/globals';
import type { RunCaller } from '../../../../functions/shared/runs/runs.ts';
import { until } from '../../../support/processes.ts';
import { OWNER, openFakeRuns } from '../../../support/runs.ts';

const { signal } = new AbortController();
const OTHER = { clientId: 'client-2', accessLevel: 'USER' } as const;

describe('runs', () => {
  it('answers before the process starts, and releases the skill once the process is ready', async () => {
    const { runs, sandbox } = await openFakeRuns();
    const run = await runs.start({ skill: 'greet', args: { a: 1 } }, OWNER, signal);
    expect([run.state, sandbox.processes.length]).toEqual(['starting', 0]);
    await run.begun.wait();
    expect(sandbox.processes[0]?.asked).toEqual(['release']);
    sandbox.processes[0]?.succeed({ said: 'hello' });
    await runs.settled(run.id);
    expect(run.seenBy(OWNER)).toMatchObject({ state: 'succeeded', result: { said: 'hello' }, error: null });
  });

  it('hides arguments, result and error texts from other clients below ADMIN', async () => {
    const { runs, sandbox } = await openFakeRuns();
    const run = await runs.start({ skill: 'greet', args: { pin: 1234 } }, OWNER, signal);
    await run.begun.wait();
    sandbox.processes[0]?.listener.output('stdout', Buffer.from('1234\n'));
    sandbox.processes[0]?.listener.failed('exception', 'ValueError: 1234');
    sandbox.processes[0]?.listener.ended({ code: 1, signal: null });
    await runs.settled(run.id);
    expect(JSON.stringify(run.seenBy(OTHER))).not.toContain('1234');
    expect(run.seenBy(OTHER)).toMatchObject({ state: 'failed', args: null, error: { code: 'exception' } });
    expect(run.seenBy({ ...OTHER, accessLevel: 'ADMIN' }).error).toEqual({
      code: 'exception',
      message: 'ValueError: 1234',
      last_lines: ['1234'],
    });
  });

  it.each([
    ['an exit before the return', { code: 0, signal: null }, 'exited'],
    ['a signal', { code: null, signal: 'SIGSEGV' }, 'killed'],
  ])('fails after %s', async (_what, how, code) => {
    const { runs, sandbox } = await openFakeRuns();
    const run = await runs.start({ skill: 'greet' }, OWNER, signal);
    await run.begun.wait();
    sandbox.processes[0]?.listener.ended(how);
    await runs.settled(run.id);
    expect(run.seenBy(OWNER)).toMatchObject({ state: 'failed', error: { code } });
  });

  it('refuses all requests of runs before it tells any process to end, and kills those that do not', async () => {
    const { runs, sandbox, doors } = await openFakeRuns();
    const run = await runs.start({ skill: 'greet' }, OWNER, signal);
    await run.begun.wait();
    expect(runs.stopAll()).toEqual([run.id]);
    expect([doors, run.state]).toEqual([['refuse'], 'stopping']);
    await runs.settled(run.id);
    expect(sandbox.processes[0]?.asked.slice(0, 3)).toEqual(['release', 'tell', 'kill']);
    expect([run.state, doors]).toEqual(['stopped', ['refuse', 'close']]);
    expect(runs.stopAll()).toEqual([]);
  });

  it.each([
    ['is stopped when somebody ends it from outside', {}, 'stopped'],
    ['has succeeded when it returned before somebody ended it', { result: 'done' }, 'succeeded'],
    ['is stopped when systemd ends it, and then the service', { afterwards: 'shutdown' }, 'stopped'],
  ])('%s', async (_what, { result, afterwards }: { result?: string; afterwards?: string }, state) => {
    const { runs, sandbox } = await openFakeRuns();
    const run = await runs.start({ skill: 'greet' }, OWNER, signal);
    await run.begun.wait();
    const listener = sandbox.processes[0]?.listener;
    if (result === undefined) listener?.failed('exception', 'CancelledError');
    else listener?.returned(result);
    if (afterwards === 'shutdown') void runs.close();
    listener?.ended({ code: 143, signal: null, asked: true });
    await runs.settled(run.id);
    expect(run.state).toBe(state);
  });

  it('never releases a skill that was stopped during its start', async () => {
    const { runs, sandbox } = await openFakeRuns();
    sandbox.ready = false;
    const run = await runs.start({ skill: 'greet' }, OWNER, signal);
    await until('its process waits', () => sandbox.processes.length === 1);
    runs.stop(run.id);
    sandbox.processes[0]?.listener.ready();
    await runs.settled(run.id);
    expect([run.state, run.hasStarted]).toEqual(['stopped', false]);
    expect(sandbox.processes[0]?.asked).not.toContain('release');
  });

  it('starts nothing that was asked for before a stop', async () => {
    const { runs } = await openFakeRuns();
    const starting = runs.start({ skill: 'greet' }, OWNER, signal);
    runs.stopAll();
    await expect(starting).rejects.toMatchObject({ code: 'stopped' });
    expect(runs.list()).toEqual([]);
  });

  it('kills a process that goes on after its function has returned', async () => {
    const { runs, sandbox } = await openFakeRuns();
    const run = await runs.start({ skill: 'greet' }, OWNER, signal);
    await run.begun.wait();
    sandbox.processes[0]?.listener.returned('done');
    await runs.settled(run.id);
    expect([run.state, sandbox.processes[0]?.asked]).toEqual(['succeeded', ['release', 'kill']]);
  });

  it('ends a run after its time', async () => {
    const { runs } = await openFakeRuns();
    const run = await runs.start({ skill: 'greet', timeoutS: 0.05 }, OWNER, signal);
    await runs.settled(run.id);
    expect(run.seenBy(OWNER)).toMatchObject({ state: 'failed', error: { code: 'run_timeout' } });
  });

  it('starts one of a hundred at once, and names it to the others', async () => {
    const { runs, sandbox } = await openFakeRuns();
    const all = await Promise.allSettled(
      Array.from({ length: 100 }, () => runs.start({ skill: 'greet' }, OWNER, signal)),
    );
    const started = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const refused = all.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect([started.length, refused.length]).toEqual([1, 99]);
    expect(refused[0]).toMatchObject({ code: 'busy', members: { run: started[0]?.id } });
    await started[0]?.begun.wait();
    sandbox.processes[0]?.succeed(null);
    await runs.settled(started[0]?.id ?? '');
    expect((await runs.start({ skill: 'greet' }, OWNER, signal)).state).toBe('starting');
    await runs.close();
  });

  it('ends a chain of runs that start runs', async () => {
    const { runs } = await openFakeRuns(undefined, { concurrency: 8 });
    let caller: RunCaller = OWNER;
    for (let depth = 0; depth <= 4; depth += 1) {
      const { id } = await runs.start({ skill: 'greet' }, caller, signal);
      caller = { clientId: id, keyId: `run:${id}`, accessLevel: 'USER' };
    }
    await expect(runs.start({ skill: 'greet' }, caller, signal)).rejects.toMatchObject({ code: 'conflict' });
    await runs.start({ skill: 'greet' }, OWNER, signal);
    await runs.close();
  });

  it('finds runs of a killed service again as lost', async () => {
    const { runs, records } = await openFakeRuns();
    const run = await runs.start({ skill: 'greet' }, OWNER, signal);
    await run.begun.wait();
    const copies = new Map(records);
    const next = await openFakeRuns({}, { records: copies });
    expect(next.runs.get(run.id).state).toBe('lost');
    expect(copies.get(run.id)?.state).toBe('lost');
    await runs.close();
  });

  it('keeps the last 100', async () => {
    const { runs, sandbox, records } = await openFakeRuns();
    for (let count = 0; count < 102; count += 1) {
      const run = await runs.start({ skill: 'greet' }, OWNER, signal);
      await run.begun.wait();
      sandbox.processes[count]?.succeed(count);
      await runs.settled(run.id);
    }
    expect([runs.list().length, records.size]).toEqual([100, 100]);
    expect(runs.list()[0]?.seenBy(OWNER).result).toBe(101);
  });

  it.each([
    ['an unknown skill', { skill: 'other' }, { code: 'skill_not_found' }],
    ['an unknown function', { skill: 'several', function: 'x' }, { code: 'skill_not_found' }],
    [
      'several functions and none named',
      { skill: 'several' },
      { code: 'validation_failed', errors: [{ pointer: '/function' }] },
    ],
    ['a level that is too low', { skill: 'several', function: 'secret' }, { code: 'insufficient_access' }],
  ])('refuses %s', async (_what, request, expected) => {
    const { runs } = await openFakeRuns({ several: [{ name: 'a' }, { name: 'secret', accessLevel: 'ADMIN' }] });
    await expect(runs.start(request, OWNER, signal)).rejects.toMatchObject(expected);
  });

  it('says what to install where there is no sandbox', async () => {
    const { runs } = await openFakeRuns(undefined, { probe: async () => ({ problem: 'Install bubblewrap.' }) });
    await expect(runs.start({ skill: 'greet' }, OWNER, signal)).rejects.toMatchObject({
      code: 'component_unavailable',
      message: expect.stringContaining('Install bubblewrap.'),
    });
  });

  it('starts nothing that cannot be recorded, and keeps no place for it', async () => {
    let isFull = true;
    const { runs } = await openFakeRuns(undefined, {
      store: {
        load: async () => [],
        save: () => {
          if (isFull) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        },
        remove: () => undefined,
      },
    });
    await expect(runs.start({ skill: 'greet' }, OWNER, signal)).rejects.toThrow('full');
    isFull = false;
    expect((await runs.start({ skill: 'greet' }, OWNER, signal)).state).toBe('starting');
    await runs.close();
  });
});
