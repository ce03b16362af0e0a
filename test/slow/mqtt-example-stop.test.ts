import { expect, it } from '@jest/globals';
import { until } from '../support/processes.ts';
import { describeExample, fenceOf, run, start } from '../support/python-example.ts';

describeExample('Stopping the example robot in Python', (python) => {
  it('stops while slow commands are running', async () => {
    const { robot, caller } = await start(python);
    const slow = Array.from({ length: 20 }, () => caller.ask('say', 'x'.repeat(3_000)).then(() => 'said'));
    await caller.ask('go_to_relative', { x: 9 });
    await until('it moves', () => robot.moves());
    const stopping = caller.stop().then(({ result }) => result);
    expect(await Promise.race([...slow, stopping])).toEqual({ stopped: true, cancelled_missions: 1 });
    await until('it stands', () => !robot.moves());
  });

  it('stops when its command queue is full', async () => {
    const { robot, caller } = await start(python);
    await caller.ask('go_to_relative', { x: 9 });
    await until('it moves', () => robot.moves());
    // In portions: a broker drops what a robot has not read yet. And by commands that nothing ends: a robot that was
    // starved for a second has lost its link, and waits for missions would be over at once.
    while ((await caller.ask('get_language')).error?.code !== 'busy') {
      for (let count = 0; count < 100; count += 1) void caller.ask('say', 'x'.repeat(9_000));
    }
    expect(await caller.stop()).toMatchObject({ ok: true, result: { stopped: true } });
    await until('it stands', () => !robot.moves());
    void caller.ask('say', 'x'.repeat(9_000)); // the drive that has ended may have been one of the commands
    expect(await caller.ask('get_language')).toMatchObject({ error: { code: 'busy', ran: 'no' } });
  });

  it('confirms a stop only after it has stood for 300 ms', async () => {
    const { robot, caller } = await start(python, { ROBOT_COAST_MS: '1000' });
    await caller.ask('go_to_relative', { x: 9 });
    await until('it moves', () => robot.moves());
    expect(await caller.stop()).toMatchObject({ ok: true, result: { stopped: true } });
    const { result: stood } = await caller.ask('get_pose');
    expect(stood).toMatchObject({ moving: false });
    await until('it has printed so', () => robot.saidAt('stop: the robot stands') !== undefined);
    const confirmed = robot.saidAt('stop: the robot stands') ?? Number.NaN;
    const moved = robot.speeds().filter(({ at, speed }) => at < confirmed && speed >= 0.01);
    expect(moved.length).toBeGreaterThan(0);
    // 300 ms, less what may pass between a look at the speed and the time that is printed with it
    expect(confirmed - (moved.at(-1)?.at ?? Number.NaN)).toBeGreaterThanOrEqual(250);
    expect((await caller.ask('get_pose')).result).toEqual(stood);
  });

  it('does not confirm a stop while something else drives it', async () => {
    const { caller } = await start(python, { ROBOT_PUSHED_MPS: '0.2' });
    const before = fenceOf(caller);
    expect(await caller.stop()).toMatchObject({
      ok: false,
      fence: before + 1,
      error: { code: 'robot_error', detail: expect.stringContaining('still moving'), ran: 'maybe' },
    });
  });

  it.each(['', 'halt!', '[]', '{"fence":"many"}', '{"fence":1e999}', '['.repeat(100_000)])(
    'stops for any content of the message (%#)',
    async (text) => {
      const { robot, caller } = await start(python);
      await caller.ask('go_to_relative', { x: 9 });
      await until('it moves', () => robot.moves());
      await caller.sayRaw('stop', text);
      await until('it stands', () => !robot.moves());
      await until('it has said so', () => robot.said().includes('stop: the robot stands'));
    },
  );

  it('refuses motion with a lower fence number and reports its own', async () => {
    const { caller } = await start(python);
    const number = fenceOf(caller);
    const go = (fence?: number) => caller.ask('go_to_relative', { x: 0.1 }, fence === undefined ? {} : { fence });
    expect(await go(number - 1)).toMatchObject({ ok: false, fence: number, error: { code: 'stopped', ran: 'no' } });
    expect(await go(number)).toMatchObject({ ok: true });
    expect(await go(undefined)).toMatchObject({ ok: true });
    expect(await go(number + 10)).toMatchObject({ ok: true });
    expect(await go(number + 9)).toMatchObject({ fence: number + 10, error: { code: 'stopped' } });
    expect(await caller.ask('get_language', undefined, { fence: 1 })).toMatchObject({ ok: true });
    expect(await caller.ask('cancel_skill', 'x', { fence: 1 })).toMatchObject({ ok: true });
    expect(await caller.stop({ fence: 1 })).toMatchObject({ ok: true, fence: number + 11 });
    expect(await caller.stop({ fence: number + 20 })).toMatchObject({ ok: true, fence: number + 21 });
    expect(await go(number + 20)).toMatchObject({ fence: number + 21, error: { code: 'stopped' } });
    await until('presence says the number', () => fenceOf(caller) === number + 21);
  });

  it('has a higher number and another session after a restart', async () => {
    const { robot, caller } = await start(python);
    const before = caller.presence;
    await caller.stop();
    await robot.end();
    run(python);
    await until('it is back', () => caller.presence?.online === true && caller.presence.session !== before?.session);
    expect(fenceOf(caller)).toBeGreaterThan(Number(before?.fence) + 1);
  });
});
