import { expect, it } from '@jest/globals';
import { connectAsync } from 'mqtt';
import { PresenceMessage, read } from '../../functions/shared/robot-link/adapters/mqtt/messages.ts';
import { openMqttLink } from '../../functions/shared/robot-link/adapters/mqtt/open.ts';
import { argsSchema } from '../../functions/shared/robot-link/command-args.ts';
import { DOCUMENTED_RESULTS } from '../../functions/shared/robot-link/documented-results.ts';
import type { CommandSpec } from '../../functions/shared/robot-link/port.ts';
import { describeWith } from '../support/components.ts';
import { refusal } from '../support/errors.ts';
import { MOSQUITTO } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { broker, closing, describeExample, start, useBroker } from '../support/python-example.ts';
import { PythonRobot } from '../support/python-robot.ts';
import { silentLogger, testConfig } from '../support/world.ts';

describeExample('The example robot in Python', (python) => {
  it('publishes catalogue, features and promises in an expiring presence', async () => {
    const { caller } = await start(python);
    expect(read(PresenceMessage, Buffer.from(JSON.stringify(caller.presence)))).toBeDefined();
    expect(caller.presence).toMatchObject({ features: ['fence', 'begin_by', 'estop'], stop_effect: 'hold' });
    expect(caller.presence?.link_loss_ms).toBeLessThanOrEqual(1_000);
    expect(caller.presenceExpiry).toBeGreaterThan(0);
    expect(caller.presence?.catalogue).toContainEqual(
      expect.objectContaining({ name: 'go_to_relative', kind: 'coordinates', motion: true }),
    );
  });

  it('drives to a relative goal', async () => {
    const { robot, caller } = await start(python);
    expect(await caller.ask('go_to_relative', { x: 0.3 })).toMatchObject({ ok: true, result: { called: true } });
    await until('it moves', () => robot.moves());
    await until('it has arrived', () => !robot.moves());
    const { result } = await caller.ask('get_pose');
    expect(result).toMatchObject({ moving: false });
    expect((result as { x: number }).x).toBeCloseTo(0.3, 0); // as: a pose
  });

  it('cancels the drive under way for a new one, and says so', async () => {
    const { robot, caller } = await start(python);
    const first = await caller.ask('go_to_relative', { x: 9 });
    expect(first).not.toHaveProperty('replaced');
    await until('it moves', () => robot.moves());
    const { msg } = first.result as { msg: string }; // as: how drives are called
    const waiting = caller.ask('wait_for_skill', msg);
    const second = await caller.ask('go_to_relative', { x: 0.1 });
    expect(second).toMatchObject({ ok: true, replaced: true, result: { called: true, msg: expect.any(String) } });
    expect((await waiting).result).toMatchObject({ awaited: false, start_result: { started: true } });
    const { result } = await caller.ask('wait_for_skill', (second.result as { msg: string }).msg); // as: as above
    expect(result).toMatchObject({ awaited: true });
  });

  it('documents every command in its catalogue, and answers as other robots do', async () => {
    const { caller } = await start(python);
    const catalogue = caller.presence?.catalogue as CommandSpec[]; // as: it fits the schema
    for (const { name, result, examples = [] } of catalogue) {
      expect([name, examples.length > 0, result]).toEqual([name, true, expect.any(Object)]);
      for (const example of examples) {
        for (const schema of [result, DOCUMENTED_RESULTS[name]?.result]) {
          expect([name, schema && argsSchema(schema).safeParse(example.result).error]).toEqual([name, undefined]);
        }
      }
    }
  });

  it('validates every command', async () => {
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
    expect(declined).toMatchObject({ ok: true, result: { called: false }, declined: expect.any(String) });
  });

  it('runs a message once however often it arrives', async () => {
    const { caller } = await start(python);
    const id = 'again-and-again-0001';
    await Promise.race(Array.from({ length: 5 }, () => caller.ask('sound_level', 7, { id })));
    await caller.ask('get_language');
    expect(caller.answered.filter((answered) => answered === id)).toHaveLength(1);
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

  it('starts a waiting command until begin_by and lets it wait until its deadline', async () => {
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

  it('stops, publishes its absence and exits on SIGTERM', async () => {
    const { robot, caller } = await start(python, { ROBOT_COAST_MS: '500' });
    await caller.ask('go_to_relative', { x: 9 });
    await until('it moves', () => robot.moves());
    expect(await robot.end('SIGTERM')).toBe(0);
    expect(robot.moves()).toBe(false);
    await until('presence says so', () => caller.presence?.reason === 'Its program was ended.');
  });

  it('reads its password from a variable or a file, never from its arguments', async () => {
    const robot = new PythonRobot(python, ['127.0.0.1', '1', 'robot-1', 'robot-1', 's3cret-1']);
    expect(await robot.exited).toBe(2);
    expect(robot.noise.join()).toContain('ROBOT_MQTT_PASSWORD');
  });

  it('reports how late a message is, and names NTP', async () => {
    const { caller } = await start(python);
    const now = Date.now();
    const late = await caller.ask('get_language', undefined, { issued_at: now - 8_000, deadline: now - 3_000 });
    expect(late.error).toMatchObject({ code: 'robot_timeout', ran: 'no' });
    expect(late.error?.detail).toMatch(/\b8\.\d s after it was sent.*NTP/);
    expect(await caller.stop({ issued_at: now - 8_000, deadline: now - 3_000 })).toMatchObject({ ok: true });
  });

  it('reports how far its clock is behind, names NTP, and still stops', async () => {
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
    const go = () => link.send({ command: 'go_to_relative', value: { x: 9, y: 0, z: 0, theta: 0 }, sender }, options());
    for (let time = 0; time < 2; time += 1) {
      expect(await go()).toMatchObject({ called: true });
      await until('it moves', () => robot.moves());
      const number = link.fence.read();
      // A machine that stalls keeps the robot from seeing that it stands; clients then repeat the stop.
      let stops = 0;
      const isConfirmed = async () => {
        stops += 1;
        return (await Promise.resolve(link.stop(options())).catch(() => undefined))?.stopped === true;
      };
      await until('the stop is confirmed', isConfirmed);
      expect(link.fence.read()).toBe(number + stops);
      await until('it stands', () => !robot.moves());
    }
    expect(await refusal(async () => link.send({ command: 'fly', sender }, options()))).toMatchObject({
      code: 'unknown_command',
    });
  });
});

describeWith('mosquitto', MOSQUITTO, 'A broker with the example rules', () => {
  useBroker();

  it('lets a robot publish in its own branch only', async () => {
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
