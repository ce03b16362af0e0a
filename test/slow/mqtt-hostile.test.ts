import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connectAsync, type IClientPublishOptions, type MqttClient } from 'mqtt';
import { openMqttLink } from '../../functions/shared/robot-link/adapters/mqtt/open.ts';
import type { RobotLink } from '../../functions/shared/robot-link/port.ts';
import { describeWith } from '../support/components.ts';
import { refusal } from '../support/errors.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { joinBroker, type RelayedRobot } from '../support/relay.ts';
import { silentLogger, testConfig } from '../support/world.ts';

const SENDER = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
const WIRE_SENDER = { client_id: 'alice', access_level: 'USER', key_id: 'key-1' };
const PRESENCE = 'robots/robot-1/presence';
const COMMANDS = 'robots/robot-1/commands';
const CATALOGUE = [{ name: 'get_language', kind: 'none', title: 'Language', effect: 'query' }];
const ONLINE = JSON.stringify({ v: 1, online: true, session: 's', catalogue: CATALOGUE });

const options = (ms = 5_000) => ({ deadline: Date.now() + ms, signal: new AbortController().signal });
const command = (id: string, value: number) =>
  JSON.stringify({
    v: 1,
    id,
    issued_at: Date.now(),
    deadline: Date.now() + 60_000,
    command: 'sound_level',
    value,
    sender: WIRE_SENDER,
  });

describeWith('mosquitto', MOSQUITTO, 'Messages published by others', () => {
  let broker: TestBroker;
  let link: RobotLink;
  const clients: MqttClient[] = [];

  beforeAll(async () => {
    broker = await startMosquitto(['max_packet_size 300000']);
  });
  afterAll(() => broker.kill());
  afterEach(async () => {
    await link.close();
    for (const client of clients.splice(0)) {
      await client.publishAsync(PRESENCE, '', { retain: true });
      await client.endAsync();
    }
  });

  async function join(user: 'service' | 'robot-1'): Promise<MqttClient> {
    const client = await connectAsync(broker.url(user), { protocolVersion: 5 });
    clients.push(client);
    return client;
  }

  async function openLink(): Promise<void> {
    const config = testConfig({ SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
    link = await openMqttLink(config, { logger: silentLogger, clock: Date.now });
  }

  describe('on the topics of a robot to the service', () => {
    let robot: MqttClient;
    beforeEach(async () => {
      robot = await join('robot-1');
      await robot.subscribeAsync([COMMANDS, 'robots/robot-1/stop']);
      await openLink();
    });

    /** Answers whatever is asked with this text. */
    function answering(text: string): void {
      robot.on('message', (_topic, _payload, { properties }) => {
        const correlationData = properties?.correlationData as Buffer; // as: every question has one
        robot.publish(properties?.responseTopic ?? '', text, { properties: { correlationData } });
      });
    }

    it.each([
      '',
      'null',
      '{"v":1,"online":true}',
      '{"v":2,"online":true,"session":"s","catalogue":[]}',
      '\u0000',
      '[]',
    ])('ignores the invalid presence %j', async (text) => {
      await robot.publishAsync(PRESENCE, ONLINE, { retain: true });
      await until(() => link.connected());
      await robot.publishAsync(PRESENCE, text, { retain: true });
      await until(() => !link.connected());
      expect(await refusal(() => link.send({ command: 'get_language', sender: SENDER }, options()))).toMatchObject({
        code: 'robot_unavailable',
      });
    });

    it('ignores an expired presence', async () => {
      await robot.publishAsync(PRESENCE, ONLINE, { retain: true, properties: { messageExpiryInterval: 1 } });
      await until(() => link.connected());
      await until(() => !link.connected());
    });

    it.each(['', 'null', '{"ok":true}', '{"v":1,"id":"x","ok":false}'])(
      'does not take %j for an answer',
      async (text) => {
        await robot.publishAsync(PRESENCE, ONLINE, { retain: true });
        await until(() => link.connected());
        answering(text);
        const failure = await refusal(() => link.send({ command: 'get_language', sender: SENDER }, options()));
        expect(failure).toMatchObject({ code: 'robot_error', members: { command_ran: 'maybe' } });
      },
    );

    it('does not report a stop that the robot has not confirmed', async () => {
      await robot.publishAsync(PRESENCE, ONLINE, { retain: true });
      await until(() => link.connected());
      answering('{"v":1,"id":"x","ok":true,"result":{"stopped":false}}');
      expect(await refusal(async () => link.stop(options()))).toMatchObject({ code: 'robot_error' });
    });
  });

  describe('on the topics of the service to a robot', () => {
    let robot: RelayedRobot;
    let stranger: MqttClient;
    beforeEach(async () => {
      stranger = await join('service');
    });
    afterEach(() => robot.relay.close());

    async function startRobot(): Promise<void> {
      robot = joinBroker(broker.url('robot-1'));
      await openLink();
      await until(() => link.connected());
    }

    const soundLevels = () => robot.audit.kept.map(({ subject }) => subject.value);
    const say = (topic: string, text: string, given: IClientPublishOptions = {}) =>
      stranger.publishAsync(topic, text, given);

    it('does not run commands published before the robot connected, retained or not', async () => {
      await say(COMMANDS, command('left-here-before-0001', 11), { retain: true });
      await startRobot();
      await link.send({ command: 'sound_level', value: 12, sender: SENDER }, options());
      expect(soundLevels()).toEqual([12]);
      await say(COMMANDS, '', { retain: true });
    });

    it('runs a repeated command only once', async () => {
      await startRobot();
      for (let time = 0; time < 5; time += 1) await say(COMMANDS, command('again-and-again-0001', 21), { qos: 1 });
      await link.send({ command: 'sound_level', value: 22, sender: SENDER }, options());
      expect(soundLevels()).toEqual([21, 22]);
    });

    it.each(['', '{', '[]', '{"v":1}', '\u0000\u0001', '"stop"', 'x'.repeat(200_000)])(
      'does no harm when it is no command (%#)',
      async (text) => {
        await startRobot();
        await say(COMMANDS, text);
        await link.send({ command: 'sound_level', value: 30, sender: SENDER }, options());
        expect(soundLevels()).toEqual([30]);
      },
    );

    it('stops the robot on any message on the stop topic', async () => {
      await startRobot();
      const called = await link.send(
        { command: 'skill', value: { name: 'wait', seconds: 60 }, sender: SENDER },
        options(),
      );
      const waiting = link.send(
        { command: 'wait_for_skill', value: (called as { msg: string }).msg, sender: SENDER }, // as: how it answers skill
        options(),
      );
      await say('robots/robot-1/stop', 'halt!');
      expect(await waiting).toMatchObject({ awaited: false });
    });

    it('cannot make a robot publish outside of its own answer topics', async () => {
      await startRobot();
      const heard: string[] = [];
      stranger.on('message', (topic) => heard.push(topic));
      await stranger.subscribeAsync('robots/+/presence', { qos: 0, rh: 2 });
      const correlationData = Buffer.from('x');
      await say(COMMANDS, '{}', { properties: { responseTopic: PRESENCE, correlationData } });
      await link.send({ command: 'sound_level', value: 40, sender: SENDER }, options());
      expect(heard).toEqual([]);
      expect(link.connected()).toBe(true);
    });

    it('rejects a message that is too large for the broker, without losing the connection', async () => {
      await startRobot();
      const long = { command: 'play_sequence', value: ['x'.repeat(400_000)], sender: SENDER };
      const failure = await refusal(() => link.send(long, options()));
      expect(failure).toMatchObject({ code: 'robot_unavailable', members: { command_ran: 'no' } });
      expect(link.connected()).toBe(true);
      expect(await link.send({ command: 'get_language', sender: SENDER }, options())).toBe('en');
    });
  });
});
