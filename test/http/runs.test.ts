import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/processes.ts';
import { RunService } from '../support/run-service.ts';

let runs: RunService;
beforeAll(async () => {
  runs = await RunService.start();
  runs.write(
    'greet',
    `@skill
async def greet(robot, who: str, times: int = 1):
    """Greets somebody."""
    print("hello", who)
    return {"who": who, "id": robot.client_id, "level": robot.access_level, "pose": (await robot.get_pose()).result}

@skill(access_level="ADMIN")
async def secret(robot):
    pass`,
  );
  runs.writeBody('hang', 'print("hanging", flush=True)\nawait robot.sleep(600)');
  runs.write(
    'plain',
    'skill = lambda f: f\n\n@skill\ndef plain(robot, x: float):\n    robot.sound_level(30)\n    return x * 2',
  );
  runs.write('twice', '@skill\nasync def hang(robot):\n    pass');
  runs.write('look_around', '@skill\nasync def nod(robot):\n    return "not the robot\'s own"');
});
afterAll(() => runs.stop());

describe('A run', () => {
  it('answers before its process starts, then reaches the robot as a client of its own, at level USER', async () => {
    const started = await runs.run('greet', { function: 'greet', args: { who: 'Anna' } });
    expect(started).toMatchObject({ state: 'starting', started_at: null, result: null, args: { who: 'Anna' } });
    const run = await runs.ended(started.id);
    expect(run.result).toMatchObject({ who: 'Anna', id: run.id, level: 'USER', pose: { x: 0, y: 0 } });
    expect(run).toMatchObject({ state: 'succeeded', error: null, truncated: false });
    expect(await runs.lines(run.id)).toEqual(['hello Anna']);
  });

  it('of a function without async, with a decorator of its own, has the blocking client', async () => {
    expect(await runs.complete('plain', { args: { x: 2 } })).toMatchObject({ state: 'succeeded', result: 4 });
  });

  it.each([
    ['a missing argument', { skill: 'plain', args: {} }, 422, '/args/x'],
    ['an argument of another type', { skill: 'plain', args: { x: true } }, 422, '/args/x'],
    ['an unknown argument', { skill: 'plain', args: { x: 1, y: 2 } }, 422, '/args/y'],
    ['a file with several functions', { skill: 'greet' }, 422, '/function'],
    ['an unknown function', { skill: 'plain', function: 'x' }, 404, undefined],
    ['a level that is too low', { skill: 'greet', function: 'secret' }, 403, undefined],
    ['a lease that is not held', { skill: 'plain', args: { x: 1 }, lease: 'x' }, 410, undefined],
  ])('is refused for %s', async (_what, body, status, pointer) => {
    const answer = await runs.post('/api/v2/runs/', body);
    expect([answer.status, answer.json.errors?.[0]?.pointer]).toEqual([status, pointer]);
  });

  it('shows arguments, result and log to who started it and to ADMIN only', async () => {
    const run = await runs.ended((await runs.run('greet', { function: 'greet', args: { who: 'Ben' } }, 'ADMIN')).id);
    expect(run).toMatchObject({ args: null, result: null, state: 'succeeded' });
    expect((await runs.service.as('USER', `/api/v2/runs/${run.id}/logs`)).status).toBe(403);
    expect(await runs.read(run.id, 'ADMIN')).toMatchObject({ args: { who: 'Ben' }, result: { who: 'Ben' } });
  });

  it('is followed line by line until it ends, and can be ended by its id', async () => {
    const { id } = await runs.run('hang');
    await runs.printed(id, 'hanging');
    const following = runs.service.as('USER', `/api/v2/runs/${id}/logs?follow=true`);
    const busy = await runs.post('/api/v2/runs/', { skill: 'plain', args: { x: 1 } });
    expect([busy.status, busy.json.code, busy.json.run]).toEqual([409, 'busy', id]);
    expect((await runs.post(`/api/v2/runs/${id}/stop`, {})).json.state).toBe('stopping');
    expect((await runs.ended(id)).state).toBe('stopped');
    const { text } = await following;
    expect(text).toMatch(/data: .*"message":"hanging"}\n\n/);
    expect(text).toMatch(/event: end\ndata: {"reason":"The run has ended."}\n\n$/);
  });

  it('leaves a trace in the audit trail', async () => {
    const { id } = await runs.complete('plain', { args: { x: 1 } });
    const entries = async (action: string) => {
      const { json } = await runs.service.as('ENCHANTER', `/api/v2/audit/?action=${action}&limit=20`);
      return json.entries.filter(({ subject }: { subject: { run: string } }) => subject.run === id);
    };
    await until('it is on disk', async () => (await entries('run.end')).length > 0);
    expect(await entries('run.start')).toHaveLength(1);
    expect((await entries('run.end'))[0]).toMatchObject({ outcome: 'ok', subject: { state: 'succeeded' } });
  });
});

describe('Commands on skills', () => {
  it('list uploaded functions beside those of the robot, which come first', async () => {
    const { result } = await runs.command('get_skills');
    const named = (name: string, skill?: string) =>
      result.find((each: { name: string; skill?: string }) => each.name === name && each.skill === skill);
    expect(named('nod')).toEqual({ name: 'nod', title: 'Nod', takes: {} });
    expect(named('nod', 'look_around')).toMatchObject({ source: 'uploaded', hidden: true });
    expect(named('greet', 'greet')).toMatchObject({
      title: 'Greets somebody.',
      args: { properties: { who: { type: 'string' }, times: { type: 'integer', default: 1 } }, required: ['who'] },
    });
  });

  it('run an uploaded function by its name, with a run as its mission', async () => {
    const { ok, result } = await runs.command('skill', { name: 'greet', who: 'Cleo' });
    expect([ok, result.called]).toEqual([true, true]);
    expect((await runs.command('wait_for_skill_started', result.msg)).result.started).toBe(true);
    expect((await runs.command('wait_for_skill', result.msg)).result).toMatchObject({ awaited: true });
    expect(await runs.read(result.msg)).toMatchObject({ state: 'succeeded', skill: 'greet' });
  });

  it('leave names of the robot to it, and say what nobody knows', async () => {
    const own = (await runs.command('skill', { name: 'nod' })).result;
    expect(own.called).toBe(true);
    expect((await runs.service.as('USER', `/api/v2/runs/${own.msg}`)).status).toBe(404);
    expect((await runs.command('skill', { name: 'nobody' })).result).toEqual({ called: false, msg: 'Unknown skill' });
  });

  it('refuse a name in two files, and arguments that do not fit', async () => {
    expect(await runs.command('skill', { name: 'hang' })).toMatchObject({ status: 409, code: 'conflict' });
    const wrong = await runs.command('skill', { name: 'greet', who: 1 });
    expect([wrong.status, wrong.errors[0].pointer]).toEqual([422, '/value/who']);
  });

  it('play a sequence of both kinds, one after the other', async () => {
    runs.writeBody('step', 'return 1');
    const { result } = await runs.command('play_sequence', ['nod', 'step', 'step']);
    expect(result.called).toBe(true);
    expect((await runs.command('wait_for_skill', result.msg)).result).toMatchObject({ awaited: true });
  });

  it('cancel the runs of a client with its missions', async () => {
    runs.writeBody('wait_long', 'print("waiting", flush=True)\nawait robot.sleep(600)');
    const { msg } = (await runs.command('skill', { name: 'wait_long' })).result;
    await runs.printed(msg, 'waiting');
    expect((await runs.command('cancel_client_missions')).result).toMatchObject({ cancelled: true });
    expect((await runs.ended(msg)).state).toBe('stopped');
    expect((await runs.command('wait_for_skill', msg)).result).toMatchObject({ awaited: false });
  });
});

describe('A stop of the robot', () => {
  it('refuses everything a run asks for, and ends one that ignores being told', async () => {
    runs.writeBody(
      'deaf',
      'import asyncio, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint("deaf", flush=True)\nwhile True:\n    try:\n        await robot.get_pose()\n        await asyncio.sleep(0.01)\n    except BaseException as error:\n        print(getattr(error, "code", error), flush=True)\n        import time; time.sleep(0.02)',
    );
    const { id } = await runs.run('deaf');
    await runs.printed(id, 'deaf');
    const stop = await runs.service.as('USER', '/api/v2/stop', { method: 'POST' });
    expect(stop.json).toMatchObject({ stopped: true, runs_stopped: [id] });
    expect((await runs.ended(id)).state).toBe('stopped');
    expect(await runs.lines(id)).toContain('key_revoked');
  });

  it('can be asked for by a run, which then ends itself', async () => {
    runs.writeBody('halt', 'print("halting", flush=True)\nawait robot.stop()\nawait robot.sleep(600)');
    expect((await runs.complete('halt')).state).toBe('stopped');
  });
});
