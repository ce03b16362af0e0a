import { afterEach, describe, expect, it } from '@jest/globals';
import { connectAsync } from 'mqtt';
import { startFakeBroker } from '../support/fake-broker.ts';
import { until } from '../support/processes.ts';
import { broker, closing, describeExample, fenceOf, join, robots, run, start } from '../support/python-example.ts';
import { PythonRobot } from '../support/python-robot.ts';

/** Ten times what presence promises. */
const LINK_LOSS_LIMIT_MS = 10_000;

describeExample('The links of the example robot in Python', (python) => {
  describe('when the broker', () => {
    afterEach(async () => {
      broker.goOn();
      await broker.kill();
      await broker.start();
    });

    /** A long drive that has begun. */
    async function drive() {
      const { robot, caller } = await start(python);
      const before = caller.presence;
      await caller.ask('go_to_relative', { x: 9 }, { fence: fenceOf(caller) });
      await until('it moves', () => robot.moves());
      return { robot, caller, before, number: fenceOf(caller) };
    }

    it('dies, halts on its own and refuses earlier commands', async () => {
      const { robot, caller, before, number } = await drive();
      await broker.kill();
      await until('it stands', () => !robot.moves(), LINK_LOSS_LIMIT_MS);
      await broker.start();
      await until('it is back', () => caller.presence?.online === true && fenceOf(caller) > number);
      expect(caller.presence?.session).not.toBe(before?.session);
      expect(fenceOf(caller)).toBe(number + 1);
      const go = (fence: number) => caller.ask('go_to_relative', { x: 0.1 }, { fence });
      expect(await go(number)).toMatchObject({ fence: number + 1, error: { code: 'stopped', ran: 'no' } });
      await until('it has settled', async () => (await go(number + 1)).ok);
    });

    it('freezes, halts on its own and refuses commands under way', async () => {
      const { robot, caller, before, number } = await drive();
      broker.freeze();
      await until('it stands', () => !robot.moves(), LINK_LOSS_LIMIT_MS);
      const held = caller.ask('go_to_relative', { x: 9 }, { fence: number });
      const unnumbered = caller.ask('go_to_relative', { x: 9 }, { deadline: Date.now() + 1 });
      broker.goOn();
      expect(await held).toMatchObject({ fence: number + 1, error: { code: 'stopped', ran: 'no' } });
      expect(await unnumbered).toMatchObject({ error: { ran: 'no' } });
      await until('presence says the number', () => fenceOf(caller) === number + 1);
      expect(caller.presence?.session).toBe(before?.session);
      expect(robot.moves()).toBe(false);
    });

    it('freezes, finishes only commands with on_lapse: finish', async () => {
      const { robot, caller } = await start(python);
      await caller.ask('go_to_relative', { x: 1.5 });
      await until('it moves', () => robot.moves());
      await until('it has arrived', () => !robot.moves());
      await caller.ask('dock');
      await until('it moves', () => robot.moves());
      broker.freeze();
      await until('it has noticed', () => robot.saidAt('link lost') !== undefined, LINK_LOSS_LIMIT_MS);
      await until('it has arrived', () => !robot.moves());
      broker.goOn();
      const { result } = await caller.ask('get_pose');
      expect((result as { x: number }).x).toBeCloseTo(0, 0); // as: a pose
      const arrived = robot.speeds().filter(({ speed }) => speed >= 0.01);
      expect(arrived.at(-1)?.at).toBeGreaterThan(robot.saidAt('link lost') ?? Number.NaN);
    });
  });

  it('keeps moving when only the service dies', async () => {
    const { robot, caller } = await start(python);
    await caller.ask('go_to_relative', { x: 1.2 });
    await until('it moves', () => robot.moves());
    caller.die();
    await until('it has arrived', () => !robot.moves());
    const { result } = await (await join()).ask('get_pose');
    expect((result as { x: number }).x).toBeGreaterThan(1); // as: a pose
    expect(robot.said().filter((line) => line.startsWith('link lost'))).toEqual([]);
  });

  it('halts and exits when a second program takes its id', async () => {
    const { robot: first, caller } = await start(python);
    await caller.ask('go_to_relative', { x: 9 });
    await until('it moves', () => first.moves());
    const second = run(python);
    expect(await first.exited).toBe(3);
    expect(first.said().at(-1)).toBe('Another program uses the id of this robot. The robot stands.');
    expect(first.moves()).toBe(false);
    await until('the other is online', async () => caller.presence?.online === true);
    expect(await caller.ask('get_language')).toMatchObject({ ok: true });
    expect(second.ended).toBe(false);
  });

  it('reconnects every time it is displaced by a client that leaves a stale presence', async () => {
    const { robot, caller } = await start(python);
    const stale = JSON.stringify({ v: 1, online: true, session: 'of a former life', catalogue: [] });
    for (let round = 0; round < 4; round += 1) {
      const intruder = await connectAsync(broker.url('robot-1'), { protocolVersion: 5, clientId: 'robot-robot-1' });
      await intruder.publishAsync('robots/robot-1/presence', stale, { retain: true, qos: 1 });
      await intruder.endAsync();
      await until(
        'it is back',
        () => caller.presence?.session !== 'of a former life' && caller.presence?.online === true,
      );
    }
    expect(robot.ended).toBe(false);
  });

  it('exits at once when the broker reports that its id is taken', async () => {
    const saying = await startFakeBroker();
    closing.push(() => saying.close());
    const robot = new PythonRobot(python, ['127.0.0.1', new URL(saying.url).port, 'robot-1']);
    robots.push(robot);
    await until('it is connected', () => robot.said().some((line) => line.startsWith('connected')));
    saying.end(0x8e);
    expect(await robot.exited).toBe(3);
    expect(saying.connects).toHaveLength(1);
  });
});
