import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { connectAsync, type MqttClient } from 'mqtt';
import { arrivalStamp } from '../../functions/shared/control/fence.ts';
import { ServiceError } from '../../functions/shared/errors.ts';
import type { JsonObject } from '../../functions/shared/kit/json.ts';
import { openMqttLink } from '../../functions/shared/robot-link/adapters/mqtt/open.ts';
import type { RobotCommand, RobotLink } from '../../functions/shared/robot-link/port.ts';
import { describeWith } from '../support/components.ts';
import { refusal } from '../support/errors.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { joinBroker, type RelayedRobot } from '../support/relay.ts';
import { plain } from '../support/robot.ts';
import { silentLogger, testConfig } from '../support/world.ts';

const SENDER = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
const TOPIC = 'robots/robot-1';
const options = () => ({ deadline: Date.now() + 10_000, signal: new AbortController().signal });
const go = (): RobotCommand => ({
  command: 'go_to_relative',
  value: { x: 5, y: 0, z: 0, theta: 0 },
  sender: SENDER,
  arrivedAt: arrivalStamp(),
});

describeWith('mosquitto', MOSQUITTO, 'The fence number', () => {
  let broker: TestBroker;
  const links: RobotLink[] = [];
  const clients: MqttClient[] = [];
  let relayed: RelayedRobot | undefined;

  beforeAll(async () => {
    broker = await startMosquitto();
  });
  afterAll(() => broker.kill());
  afterEach(async () => {
    for (const link of links.splice(0)) await link.close();
    await relayed?.relay.close();
    relayed = undefined;
    for (const client of clients.splice(0)) {
      await client.publishAsync(`${TOPIC}/presence`, '', { retain: true });
      await client.endAsync();
    }
  });

  async function openLink(): Promise<RobotLink> {
    const config = testConfig({ SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
    const link = await openMqttLink(config, { logger: silentLogger, clock: Date.now });
    links.push(link);
    return link;
  }

  /** A robot program that keeps every message and answers as it is told to. */
  async function robotProgram(presence: JsonObject, answer: (topic: string, asked: JsonObject) => JsonObject) {
    const robot = await connectAsync(broker.url('robot-1'), { protocolVersion: 5 });
    clients.push(robot);
    const heard: Array<{ readonly topic: string; readonly asked: JsonObject }> = [];
    robot.on('message', (topic, payload, { properties }) => {
      const asked = JSON.parse(payload.toString()) as JsonObject; // as: the service sends objects
      heard.push({ topic, asked });
      const correlationData = properties?.correlationData as Buffer; // as: every question has one
      const text = JSON.stringify({ v: 1, id: asked.id, ...answer(topic, asked) });
      robot.publish(properties?.responseTopic ?? '', text, { properties: { correlationData } });
    });
    await robot.subscribeAsync([`${TOPIC}/commands`, `${TOPIC}/stop`]);
    const say = (more: JsonObject) =>
      robot.publishAsync(`${TOPIC}/presence`, JSON.stringify({ ...ONLINE, ...presence, ...more }), { retain: true });
    await say({});
    return { heard, say };
  }

  async function connected(link: RobotLink): Promise<void> {
    await until(() => link.connected());
  }

  it("is sent with every command and stop to a robot with fence support, and the service continues from the robot's number", async () => {
    let fence = 57;
    const robot = await robotProgram({ features: ['fence'], fence }, (topic, asked) => {
      if (topic.endsWith('/stop')) {
        fence = Math.max(fence, Number(asked.fence)) + 1;
        return { ok: true, result: { stopped: true }, fence };
      }
      return { ok: true, result: 'done' };
    });
    const link = await openLink();
    await connected(link);
    await link.send({ command: 'get_language', sender: SENDER }, options());
    await link.stop(options());
    await link.send(go(), options());
    expect(robot.heard.map(({ asked }) => asked.fence)).toEqual([57, 57, 58]);
    expect(fence).toBe(58);
  });

  it('is not sent to a robot without fence support', async () => {
    const robot = await robotProgram({ fence: 57 }, () => ({ ok: true, result: { stopped: true } }));
    const link = await openLink();
    await connected(link);
    await link.send(go(), options());
    await link.stop(options());
    expect(robot.heard).toHaveLength(2);
    for (const { asked } of robot.heard) expect(asked).not.toHaveProperty('fence');
  });

  it('is learnt from a refused motion, so that the next one passes', async () => {
    const robot = await robotProgram({ features: ['fence'], fence: 57 }, (_topic, { fence }) =>
      Number(fence) < 90
        ? { ok: false, error: { code: 'stopped', detail: 'Stopped by somebody else.', ran: 'no' }, fence: 90 }
        : { ok: true, result: 'done' },
    );
    const link = await openLink();
    await connected(link);
    expect(await refusal(() => link.send(go(), options()))).toMatchObject({
      code: 'stopped',
      members: { command_ran: 'no' },
    });
    expect(await link.send(go(), options())).toBe('done');
    expect(robot.heard.map(({ asked }) => asked.fence)).toEqual([57, 90]);
  });

  it('rejects earlier commands in the service when presence raises it', async () => {
    const robot = await robotProgram({ features: ['fence'], fence: 57 }, () => ({ ok: true, result: 'done' }));
    const link = await openLink();
    await connected(link);
    const early = go();
    await robot.say({ fence: 58 });
    await until(() => link.fence.read() === 58);
    expect((await refusal(() => link.send(early, options()))).code).toBe('stopped');
    expect(robot.heard).toEqual([]);
    expect(await link.send(go(), options())).toBe('done');
  });

  it('lets a robot behind the relay reject commands sent before a stop by another service', async () => {
    relayed = joinBroker(broker.url('robot-1'));
    const [one, two] = [await openLink(), await openLink()];
    await Promise.all([connected(one), connected(two)]);
    const before = relayed.robot.fence.read();
    await two.stop(options());
    // The other service learns of it from the presence, or from the refusal of its next motion.
    const late = await Promise.resolve(one.send(go(), options())).catch((error: ServiceError) => error);
    if (late instanceof ServiceError) expect(late).toMatchObject({ code: 'stopped', members: { command_ran: 'no' } });
    expect(plain(await two.send(go(), options()))).toMatchObject({ accepted: true });
    expect(plain(await one.send(go(), options()))).toMatchObject({ accepted: true });
    expect(relayed.robot.fence.read()).toBe(before + 1);
    await until(() => one.fence.read() === before + 1);
  });

  it('is compared by the relay, which returns its own with each refusal and each stop', async () => {
    relayed = joinBroker(broker.url('robot-1'));
    const service = await connectAsync(broker.url('service'), { protocolVersion: 5 });
    clients.push(service);
    const answers = new Map<string, JsonObject>();
    let presence: JsonObject = {};
    service.on('message', (topic, payload) => {
      const message = JSON.parse(payload.toString() || '{}') as JsonObject; // as: the relay sends objects
      if (topic.endsWith('/presence')) presence = message;
      else answers.set(String(message.id), message);
    });
    await service.subscribeAsync([`${TOPIC}/answers/me`, `${TOPIC}/presence`]);
    let count = 0;
    const ask = async (branch: string, more: JsonObject): Promise<JsonObject> => {
      count += 1;
      const id = `message-${String(count).padStart(12, '0')}`;
      const times = { issued_at: Date.now(), deadline: Date.now() + 10_000 };
      const sender = { client_id: 'alice', access_level: 'USER', key_id: 'key-1' };
      const properties = { responseTopic: `${TOPIC}/answers/me`, correlationData: Buffer.from(id) };
      service.publish(`${TOPIC}/${branch}`, JSON.stringify({ v: 1, id, ...times, sender, ...more }), { properties });
      await until(() => answers.has(id));
      return answers.get(id) ?? {};
    };
    const motion = { command: 'go_to_relative', value: { x: 1 } };
    await until(() => presence.online === true);
    expect(presence).toMatchObject({
      features: ['fence', 'begin_by', 'lease'],
      link_loss_ms: 1000,
      fence: relayed.robot.fence.read(),
    });

    expect(await ask('stop', { fence: 700 })).toMatchObject({ ok: true, result: { stopped: true }, fence: 701 });
    await until(() => presence.fence === 701);
    expect(await ask('commands', { ...motion, fence: 700 })).toMatchObject({
      ok: false,
      error: { code: 'stopped', ran: 'no' },
      fence: 701,
    });
    expect(await ask('commands', { ...motion, fence: 701 })).toMatchObject({ ok: true });
    expect(await ask('commands', { command: 'get_language', fence: 3 })).toMatchObject({ ok: true });
    expect(await ask('commands', { ...motion, fence: 950 })).toMatchObject({ ok: true });
    expect(await ask('stop', {})).toMatchObject({ ok: true, fence: 951 });
    // A number that leaves no higher one would let everything pass for good.
    const highest = Number.MAX_SAFE_INTEGER;
    expect(await ask('stop', { fence: highest })).toMatchObject({ ok: true, result: { stopped: true }, fence: 952 });
    expect(await ask('commands', { ...motion, fence: highest })).toMatchObject({
      error: { code: 'validation_failed' },
    });
    expect(await ask('commands', { ...motion, fence: 951 })).toMatchObject({ error: { code: 'stopped' }, fence: 952 });
    expect(await ask('commands', motion)).toMatchObject({ ok: true }); // an older service knows no number
  });
});

const ONLINE = {
  v: 1,
  online: true,
  session: 's',
  catalogue: [
    { name: 'get_language', kind: 'none', title: 'Language', effect: 'query' },
    { name: 'go_to_relative', kind: 'coordinates', title: 'Go', effect: 'action', motion: true },
  ],
};
