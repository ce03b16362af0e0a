import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connectAsync } from 'mqtt';
import { PresenceMessage, read } from '../../functions/shared/adapters/robot-link/mqtt/messages.ts';
import { openMqttLink } from '../../functions/shared/adapters/robot-link/mqtt/open.ts';
import { describeWith } from '../support/components.ts';
import { refusal } from '../support/errors.ts';
import { startFakeBroker } from '../support/fake-broker.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { PAHO, PythonRobot, type RobotAnswer, RobotCaller } from '../support/python-robot.ts';
import { silentLogger, testConfig } from '../support/world.ts';

/** Ten times what presence promises. */
const LINK_LOSS_LIMIT_MS = 10_000;

describeWith('mosquitto', MOSQUITTO, 'The example of a robot in Python', () => {
  let broker: TestBroker;
  const robots: PythonRobot[] = [];
  const callers: RobotCaller[] = [];
  const closing: Array<() => Promise<void>> = [];

  beforeAll(async () => {
    broker = await startMosquitto(['max_queued_messages 10000']); // as docs/mqtt.md advises
  });
  afterAll(() => broker.kill());
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    for (const caller of callers.splice(0)) caller.leave();
    const ended = robots.splice(0);
    await Promise.all(ended.map((robot) => robot.end()));
    expect(ended.flatMap(({ noise }) => noise)).toEqual([]);
  });

  function run(python: string, environment: Record<string, string> = {}): PythonRobot {
    const password = { ROBOT_MQTT_PASSWORD: broker.password('robot-1') };
    const args = ['127.0.0.1', String(broker.port), 'robot-1'];
    const robot = new PythonRobot(python, args, { ...password, ...environment });
    robots.push(robot);
    return robot;
  }

  async function join(): Promise<RobotCaller> {
    const caller = await RobotCaller.join(broker);
    callers.push(caller);
    return caller;
  }

  async function start(python: string, environment: Record<string, string> = {}) {
    const robot = run(python, environment);
    const caller = await join();
    await until('the robot is online', () => caller.presence?.online === true);
    return { robot, caller };
  }

  const fenceOf = ({ presence }: RobotCaller): number => presence?.fence ?? Number.NaN;

  describe.each(Object.entries(PAHO))('with %s', (name, python) => {
    describeWith(name, python, 'it', () => {
      it('shows its catalogue, its features and its promises in presence, for a while', async () => {
        const { caller } = await start(python);
        expect(read(PresenceMessage, Buffer.from(JSON.stringify(caller.presence)))).toBeDefined();
        expect(caller.presence).toMatchObject({ features: ['fence', 'begin_by'], stop_effect: 'hold' });
        expect(caller.presence?.link_loss_ms).toBeLessThanOrEqual(1_000);
        expect(caller.presenceExpiry).toBeGreaterThan(0);
        expect(caller.presence?.catalogue).toContainEqual(
          expect.objectContaining({ name: 'go_to_relative', kind: 'coordinates', motion: true }),
        );
      });

      it('drives', async () => {
        const { robot, caller } = await start(python);
        expect(await caller.ask('go_to_relative', { x: 0.3 })).toMatchObject({ ok: true, result: { accepted: true } });
        await until('it moves', () => robot.moves());
        await until('it has arrived', () => !robot.moves());
        const { result } = await caller.ask('get_pose');
        expect(result).toMatchObject({ moving: false });
        expect((result as { x: number }).x).toBeCloseTo(0.3, 0); // as: a pose
      });

      it('judges every command anew', async () => {
        const { caller } = await start(python);
        expect(await caller.ask('get_language')).toMatchObject({ ok: true, result: 'en' });
        for (const [command, value, code] of [
          ['fly', undefined, 'unknown_command'],
          ['sound_level', 101, 'validation_failed'],
          ['sound_level', true, 'wrong_value_type'],
          ['sound_level', undefined, 'wrong_value_type'],
          ['get_language', 1, 'wrong_value_type'],
          ['go_to_relative', { x: '1' }, 'wrong_value_type'],
          ['go_to_relative', { x: 1, z: 1 }, 'validation_failed'],
          ['skill', { name: 'wait', seconds: -1 }, 'validation_failed'],
        ] as const) {
          const answer = await caller.ask(command, value);
          expect([command, answer.error?.code, answer.error?.ran]).toEqual([command, code, 'no']);
        }
        expect(await caller.ask('get_language', undefined, { deadline: 'soon' })).toMatchObject({
          error: { code: 'validation_failed', ran: 'no' },
        });
        const declined = await caller.ask('go_to_relative', { x: 11 });
        expect(declined).toMatchObject({ ok: true, result: { accepted: false }, declined: expect.any(String) });
      });

      it('runs a message once, however often it comes', async () => {
        const { caller } = await start(python);
        const id = 'again-and-again-0001';
        await Promise.race(Array.from({ length: 5 }, () => caller.ask('sound_level', 7, { id })));
        await caller.ask('get_language');
        expect(caller.answered.filter((answered) => answered === id)).toHaveLength(1);
      });

      it('stops while commands sleep for minutes', async () => {
        const { robot, caller } = await start(python);
        const slow = Array.from({ length: 20 }, () => caller.ask('say', 'x'.repeat(3_000)).then(() => 'said'));
        await caller.ask('go_to_relative', { x: 9 });
        await until('it moves', () => robot.moves());
        const stopping = caller.stop().then(({ result }) => result);
        expect(await Promise.race([...slow, stopping])).toEqual({ stopped: true, cancelled_missions: 0 });
        await until('it stands', () => !robot.moves());
      });

      it('stops when it can take no more commands', async () => {
        const { caller } = await start(python);
        const mission = ((await caller.ask('skill', { name: 'wait', seconds: 600 })).result as { msg: string }).msg; // as: how skill answers
        const waits: Array<Promise<RobotAnswer>> = [];
        // In portions: a broker drops what a robot has not read yet.
        while ((await caller.ask('get_language')).error?.code !== 'busy') {
          for (let count = 0; count < 100; count += 1) waits.push(caller.ask('wait_for_skill', mission));
        }
        expect(await caller.stop()).toMatchObject({ ok: true, result: { stopped: true, cancelled_missions: 1 } });
        for (const { result, error } of await Promise.all(waits)) {
          expect(error?.code ?? result).toEqual(error ? 'busy' : expect.objectContaining({ awaited: false }));
        }
        expect(await caller.ask('get_language')).toMatchObject({ ok: true });
      });

      it('answers a query while 40 others wait', async () => {
        const { caller } = await start(python);
        const mission = ((await caller.ask('skill', { name: 'wait', seconds: 600 })).result as { msg: string }).msg; // as: how skill answers
        const waits = Array.from({ length: 40 }, () => caller.ask('wait_for_skill', mission));
        expect(await caller.ask('get_language')).toMatchObject({ result: 'en' });
        expect(caller.answered).toHaveLength(2);
        expect(await caller.ask('cancel_skill', mission)).toMatchObject({ result: { cancelled: true } });
        for (const answer of await Promise.all(waits)) expect(answer.result).toMatchObject({ awaited: false });
      });

      it('lets a waiting command begin until its begin_by, and wait until its deadline', async () => {
        const { caller } = await start(python);
        const mission = ((await caller.ask('skill', { name: 'wait', seconds: 0.1 })).result as { msg: string }).msg; // as: how skill answers
        const late = await caller.ask('wait_for_skill', mission, { begin_by: Date.now() - 1 });
        expect(late).toMatchObject({ error: { code: 'robot_timeout', ran: 'no' } });
        const inTime = await caller.ask('wait_for_skill', mission, { begin_by: Date.now() + 10_000 });
        expect(inTime).toMatchObject({ result: { awaited: true } });
        const long = ((await caller.ask('skill', { name: 'wait', seconds: 600 })).result as { msg: string }).msg; // as: how skill answers
        const unfinished = await caller.ask('wait_for_skill', long, { deadline: Date.now() + 500 });
        expect(unfinished).toMatchObject({ error: { code: 'robot_timeout' } });
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
        'stops whatever the message says (%#)',
        async (text) => {
          const { robot, caller } = await start(python);
          await caller.ask('go_to_relative', { x: 9 });
          await until('it moves', () => robot.moves());
          await caller.sayRaw('stop', text);
          await until('it stands', () => !robot.moves());
          await until('it has said so', () => robot.said().includes('stop: the robot stands'));
        },
      );

      it('moves only for numbers that are not below its own, and says its own', async () => {
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
        await until(
          'it is back',
          () => caller.presence?.online === true && caller.presence.session !== before?.session,
        );
        expect(fenceOf(caller)).toBeGreaterThan(Number(before?.fence) + 1);
      });

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

        it('dies, stands still by itself and refuses what is from before', async () => {
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

        it('freezes, stands still by itself and refuses what was under way', async () => {
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

        it('freezes, finishes only what says on_lapse: finish', async () => {
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

      it('goes on when only the service dies', async () => {
        const { robot, caller } = await start(python);
        await caller.ask('go_to_relative', { x: 1.2 });
        await until('it moves', () => robot.moves());
        caller.die();
        await until('it has arrived', () => !robot.moves());
        const { result } = await (await join()).ask('get_pose');
        expect((result as { x: number }).x).toBeGreaterThan(1); // as: a pose
        expect(robot.said().filter((line) => line.startsWith('link lost'))).toEqual([]);
      });

      it('ends, standing, when a second program takes its id, which goes on', async () => {
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

      it('ends at once when the broker says that its id is taken', async () => {
        const saying = await startFakeBroker();
        closing.push(() => saying.close());
        const robot = new PythonRobot(python, ['127.0.0.1', new URL(saying.url).port, 'robot-1']);
        robots.push(robot);
        await until('it is connected', () => robot.said().some((line) => line.startsWith('connected')));
        saying.end(0x8e);
        expect(await robot.exited).toBe(3);
        expect(saying.connects).toHaveLength(1);
      });

      it('stops, says that it is gone and ends when it is told to', async () => {
        const { robot, caller } = await start(python, { ROBOT_COAST_MS: '500' });
        await caller.ask('go_to_relative', { x: 9 });
        await until('it moves', () => robot.moves());
        expect(await robot.end('SIGTERM')).toBe(0);
        expect(robot.moves()).toBe(false);
        await until('presence says so', () => caller.presence?.reason === 'Its program was ended.');
      });

      it('takes its password from a variable or a file, never from its arguments', async () => {
        const robot = new PythonRobot(python, ['127.0.0.1', '1', 'robot-1', 'robot-1', 's3cret-1']);
        expect(await robot.exited).toBe(2);
        expect(robot.noise.join()).toContain('ROBOT_MQTT_PASSWORD');
      });

      it('says by how much a message is late, and names NTP', async () => {
        const { caller } = await start(python);
        const now = Date.now();
        const late = await caller.ask('get_language', undefined, { issued_at: now - 8_000, deadline: now - 3_000 });
        expect(late.error).toMatchObject({ code: 'robot_timeout', ran: 'no' });
        expect(late.error?.detail).toMatch(/\b8\.\d s after it was sent.*NTP/);
        expect(await caller.stop({ issued_at: now - 8_000, deadline: now - 3_000 })).toMatchObject({ ok: true });
      });

      it('says by how much its clock is behind, names NTP, and stops all the same', async () => {
        const { caller } = await start(python);
        const ahead = () => ({ issued_at: Date.now() + 3_000, deadline: Date.now() + 33_000 });
        const refused = await caller.ask('get_language', undefined, ahead());
        expect(refused.error).toMatchObject({ code: 'robot_unavailable', ran: 'no' });
        expect(refused.error?.detail).toMatch(/\b[23]\.\d s behind.*NTP/);
        expect(await caller.stop(ahead())).toMatchObject({ ok: true, result: { stopped: true } });
      });

      it('works with the link of the service', async () => {
        const { robot } = await start(python);
        const config = testConfig({ SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
        const link = await openMqttLink(config, { logger: silentLogger, clock: Date.now });
        closing.push(async () => link.close());
        await until('the robot is seen', () => link.connected());
        const options = () => ({ deadline: Date.now() + 20_000, signal: new AbortController().signal });
        const sender = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
        const go = () =>
          link.send({ command: 'go_to_relative', value: { x: 9, y: 0, z: 0, theta: 0 }, sender }, options());
        for (let time = 0; time < 2; time += 1) {
          expect(await go()).toMatchObject({ accepted: true });
          await until('it moves', () => robot.moves());
          const number = link.fence.read();
          expect(await link.stop(options())).toEqual({ stopped: true, cancelled_missions: 0 });
          expect(link.fence.read()).toBe(number + 1);
          await until('it stands', () => !robot.moves());
        }
        expect(await refusal(async () => link.send({ command: 'fly', sender }, options()))).toMatchObject({
          code: 'unknown_command',
        });
      });
    });
  });

  it('may speak in its own branch only, under the rules of the example', async () => {
    const [service, robot] = await Promise.all(
      (['service', 'robot-1'] as const).map((user) => connectAsync(broker.url(user), { protocolVersion: 5 })),
    );
    if (!service || !robot) throw new Error('both have joined');
    const heard: string[] = [];
    for (const client of [service, robot]) client.on('message', (topic) => heard.push(topic));
    const branches = ['state', 'joints', 'events'];
    await service.subscribeAsync(branches.map((branch) => `robots/+/${branch}`));
    await robot.subscribeAsync('robots/robot-1/jog');
    for (const branch of branches) {
      await robot.publishAsync(`robots/robot-2/${branch}`, '{}');
      await robot.publishAsync(`robots/robot-1/${branch}`, '{}');
    }
    await robot.publishAsync('robots/robot-1/jog', '{}');
    await until('all is heard', () => heard.length >= 3);
    await service.publishAsync('robots/robot-1/jog', '{}');
    await until('all is heard', () => heard.length >= 4);
    expect(heard).toEqual([...branches.map((branch) => `robots/robot-1/${branch}`), 'robots/robot-1/jog']);
    await Promise.all([service.endAsync(), robot.endAsync()]);
  });
});
