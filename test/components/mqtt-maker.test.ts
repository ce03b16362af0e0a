import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { connectAsync, type MqttClient } from 'mqtt';
import { withSkillCommands } from '../../functions/shared/robot-link/adapters/skills/skill-commands.ts';
import { describeWith } from '../support/components.ts';
import type { HttpCall } from '../support/http.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';

type Json = Record<string, unknown>;

const TOPIC = 'robots/robot-1';
const GO = { name: 'go_to_relative', kind: 'coordinates', title: 'Go', effect: 'action', motion: true };
const LANGUAGE = { name: 'get_language', kind: 'none', title: 'Language', effect: 'query' };
const ONLINE = { v: 1, online: true, session: 's', catalogue: [LANGUAGE, GO], link_loss_ms: 500 };

describeWith('mosquitto', MOSQUITTO, 'A robot with its own program', () => {
  let broker: TestBroker;
  let service: TestService;
  const clients: MqttClient[] = [];

  beforeAll(async () => {
    broker = await startMosquitto();
  });
  afterAll(() => broker.kill());
  afterEach(async () => {
    await service.stop();
    for (const client of clients.splice(0)) {
      await client.publishAsync(`${TOPIC}/presence`, '', { retain: true });
      await client.endAsync();
    }
  });

  /** A program of the maker: what it hears, and what it says to what. */
  async function program(answer: (topic: string, asked: Json) => Json | undefined = () => ({ ok: true, result: 1 })) {
    const robot = await connectAsync(broker.url('robot-1'), { protocolVersion: 5, clientId: 'robot-robot-1' });
    clients.push(robot);
    const heard: Array<{ readonly topic: string; readonly asked: Json }> = [];
    robot.on('message', (topic, payload, { properties }) => {
      const asked = JSON.parse(payload.toString()) as Json; // as: the service sends objects
      heard.push({ topic, asked });
      const said = answer(topic, asked);
      if (!said) return;
      const correlationData = properties?.correlationData as Buffer; // as: every question has one
      const text = JSON.stringify({ v: 1, id: asked.id, ...said });
      robot.publish(properties?.responseTopic ?? '', text, { properties: { correlationData } });
    });
    await robot.subscribeAsync([`${TOPIC}/commands`, `${TOPIC}/stop`]);
    const say = (more: Json) =>
      robot.publishAsync(`${TOPIC}/presence`, JSON.stringify({ ...ONLINE, ...more }), { retain: true });
    return { robot, heard, say };
  }

  async function serve(settings: Record<string, string> = {}): Promise<void> {
    const SERVICE_ROBOT_URL = broker.url('service', '/robot-1');
    service = await startTestService({ settings: { SERVICE_MODE: 'robot', SERVICE_ROBOT_URL, ...settings } });
  }

  const status = async () => (await service.as(undefined, '/status')).json;
  const online = () => until(async () => (await status()).robot === 'connected');
  const call = (path: string, more: HttpCall = {}) => service.as('USER', `/api/v2/${path}`, more);
  const post = (path: string, value?: unknown) =>
    call(path, { method: 'POST', ...(value === undefined ? {} : { body: { value } }) });
  const readyRobot = async () => (await service.as(undefined, '/health/ready')).json.parts.robot;

  it('is stopped even if the broker reports it as offline', async () => {
    const { heard, robot } = await program(() => ({ ok: true, result: { stopped: true } }));
    await robot.publishAsync(`${TOPIC}/presence`, '{"v":1,"online":false}', { retain: true });
    await serve();
    expect((await status()).robot).toBe('disconnected');
    expect(await post('stop')).toMatchObject({ status: 200, json: { stopped: true } });
    expect(heard.map(({ topic }) => topic)).toEqual([`${TOPIC}/stop`]);
    expect(await post('commands/go_to_relative', { x: 1 })).toMatchObject({ status: 503 });
    expect(heard).toHaveLength(1);
  });

  it('may have stopped if it has no presence and does not answer a stop', async () => {
    const { heard } = await program(() => undefined);
    await serve();
    expect(await post('stop')).toMatchObject({
      status: 503,
      json: { code: 'robot_unavailable', command_ran: 'maybe' },
    });
    expect(heard).toHaveLength(1);
  });

  it.each<[fault: string, entry: Json, pointer: string]>([
    ['an unknown kind', { ...GO, name: 'a', kind: 'pose' }, '/catalogue/1/kind'],
    ['no title', { name: 'a', kind: 'none', effect: 'query' }, '/catalogue/1/title'],
    ['items that are no scalar', { ...GO, name: 'a', kind: 'list', items: 'pose' }, '/catalogue/1/items'],
    [
      'a bound that is no number',
      { ...GO, name: 'a', kind: 'int', bounds: { minimum: '0' } },
      '/catalogue/1/bounds/minimum',
    ],
    ['arguments that are no schema', { ...GO, name: 'a', kind: 'dict', args: { type: 'pose' } }, '/catalogue/1/args'],
    [
      'arguments with a pattern',
      { ...GO, name: 'a', kind: 'str', args: { type: 'string', pattern: '(a+)+$' } },
      '/catalogue/1/args',
    ],
    ['a name that is taken', { ...GO, name: 'get_language' }, '/catalogue/1/name'],
  ])('keeps its other commands and its stop if an entry has %s', async (_fault, entry, pointer) => {
    const { say } = await program((topic) => ({ ok: true, result: topic.endsWith('stop') ? { stopped: true } : 'en' }));
    await say({ catalogue: [LANGUAGE, entry, GO] });
    await serve();
    await online();
    const names = (await call('commands/')).json.commands.map(({ name }: { name: string }) => name);
    // Those of the service itself come last.
    expect(names).toEqual(['get_language', 'go_to_relative', ...withSkillCommands(new Map()).keys()]);
    expect(await call('get/get_language')).toMatchObject({ status: 200, json: { result: 'en' } });
    expect(await post('stop')).toMatchObject({ status: 200 });
    expect((await status()).robot_notes).toEqual([expect.stringContaining(pointer)]);
    expect(await readyRobot()).toMatchObject({ ok: true, notes: [expect.stringContaining(pointer)] });
  });

  it('may declare one-sided bounds, lists of any scalar, and arguments that are checked before sending', async () => {
    const { say, heard } = await program();
    const speed = {
      type: 'object',
      properties: { speed: { type: 'number', maximum: 1, 'x-unit': 'm/s' } },
      required: ['speed'],
    };
    await say({
      catalogue: [
        { ...GO, name: 'lift', kind: 'int', bounds: { minimum: 3 } },
        { ...GO, name: 'joints', kind: 'list', items: 'float' },
        { ...GO, name: 'drive', kind: 'dict', args: speed },
      ],
    });
    await serve();
    await online();
    expect(await post('commands/lift', 3)).toMatchObject({ status: 200 });
    expect(await post('commands/joints', [1, 0.5])).toMatchObject({ status: 200 });
    expect(await post('commands/drive', { speed: 0.5 })).toMatchObject({ status: 200 });
    const refused = [
      [await post('commands/lift', 2), '/value'],
      [await post('commands/joints', [1, 'x']), '/value/1'],
      [await post('commands/drive', { speed: 2 }), '/value/speed'],
      [await post('commands/drive', {}), '/value/speed'],
    ] as const;
    for (const [answer, pointer] of refused) {
      expect(answer).toMatchObject({ status: 422, json: { code: 'validation_failed', errors: [{ pointer }] } });
    }
    expect(heard).toHaveLength(3);
  });

  it('is reported if it does not promise to stop by itself on link loss', async () => {
    const { say } = await program();
    await say({ link_loss_ms: 60_000 });
    await serve();
    await online();
    expect((await status()).robot_notes).toEqual([expect.stringContaining('link_loss_ms')]);
    await say({ link_loss_ms: 500 });
    await until(async () => (await status()).robot_notes === undefined);
    expect(await readyRobot()).toEqual({ ok: true });
  });

  it('is not ready while two programs keep taking over its id', async () => {
    const { say } = await program();
    await say({});
    await serve();
    await online();
    for (const session of ['t', 'u', 'v']) await say({ session });
    await until(async () => (await status()).robot_problem !== undefined);
    expect((await status()).robot_problem).toContain('Two programs use the robot id "robot-1"');
    expect(await readyRobot()).toMatchObject({ ok: false });
  });

  it('gets the latest start of a waiting command if it supports that', async () => {
    const { say, heard } = await program();
    const wait = { name: 'wait_for_skill', kind: 'str', title: 'Wait', effect: 'query', waits: true };
    await say({ catalogue: [wait, LANGUAGE], features: ['begin_by'] });
    await serve();
    await online();
    await post('commands/wait_for_skill', 'm-1');
    await call('get/get_language');
    await say({ catalogue: [wait, LANGUAGE], features: [], session: 's' });
    await until(async () => (await call('commands/')).status === 200);
    const [waiting, asking] = heard.map(({ asked }) => asked);
    // The clock is read a moment before the message is made.
    const after = (moment: unknown) => Math.ceil((Number(moment) - Number(waiting?.issued_at)) / 1_000) * 1_000;
    expect([after(waiting?.begin_by), after(waiting?.deadline)]).toEqual([10_000, 600_000]);
    expect(asking).not.toHaveProperty('begin_by');
  });

  it('moves only on POST', async () => {
    const { say, heard } = await program();
    await say({ catalogue: [{ ...GO, name: 'dock', kind: 'none' }, LANGUAGE] });
    await serve();
    await online();
    expect(await call('get/dock')).toMatchObject({
      status: 422,
      json: { code: 'wrong_value_type', detail: expect.stringContaining('POST /api/v2/commands/dock/') },
    });
    expect(heard).toEqual([]);
    expect(await post('commands/dock')).toMatchObject({ status: 200 });
  });

  it('may answer and decline at the same time', async () => {
    const { say } = await program(() => ({ ok: true, result: { torque: 0 }, declined: 'The motors are off.' }));
    await say({});
    await serve();
    await online();
    expect(await post('commands/go_to_relative', { x: 1 })).toMatchObject({
      status: 200,
      json: { result: { torque: 0 }, ok: false, declined: 'The motors are off.' },
    });
  });

  it.each([
    ['that a drive has replaced another', { result: { called: true }, replaced: true }, { ok: true, replaced: true }],
    ['that nothing was replaced', { result: { called: true }, replaced: false }, { ok: true }],
    ['that nothing reports the outcome', { result: { sent: true }, unanswered: true }, { ok: null }],
  ])('may say %s', async (_what, answer, told) => {
    const { say } = await program(() => ({ ok: true, ...answer }));
    await say({});
    await serve();
    await online();
    const { json } = await post('commands/go_to_relative', { x: 1 });
    const value = { x: 1, y: 0, z: 0, theta: 0 };
    expect(json).toEqual({ command: 'go_to_relative', value, result: answer.result, ...told });
  });

  it.each(['busy', 'not_ready', 'stopped'])('may refuse with %s and point to the invalid value', async (code) => {
    const { say } = await program(() => ({
      ok: false,
      error: { code, detail: 'The motors are off.', ran: 'no', errors: [{ pointer: '/value/x', message: 'too far' }] },
    }));
    await say({});
    await serve();
    await online();
    expect(await post('commands/go_to_relative', { x: 1 })).toMatchObject({
      status: 409,
      json: { code, command_ran: 'no', errors: [{ pointer: '/value/x', message: 'too far' }] },
    });
  });
});
