import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../functions/shared/errors.ts';
import { openMqttLink } from '../../functions/shared/robot-link/adapters/mqtt/open.ts';
import type { RobotLink } from '../../functions/shared/robot-link/port.ts';
import { describeWith } from '../support/components.ts';
import { refusal } from '../support/errors.ts';
import { broken, hammer } from '../support/hammer.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { joinBroker } from '../support/relay.ts';
import { robotLinkContract } from '../support/robot-link-contract.ts';
import { SIMULATED_SAMPLES } from '../support/simulated-samples.ts';
import { ROOT } from '../support/sources.ts';
import { loggerInto, silentLogger, testConfig } from '../support/world.ts';

const SENDER = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;

describeWith('mosquitto', MOSQUITTO, 'Over a real MQTT broker', () => {
  let broker: TestBroker;
  beforeAll(async () => {
    broker = await startMosquitto();
  });
  afterAll(() => broker.kill());

  function openLink() {
    const config = testConfig({ SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
    return openMqttLink(config, { logger: silentLogger, clock: Date.now });
  }

  robotLinkContract('MQTT, with the relay of a robot at the other end', async () => {
    let robot = joinBroker(broker.url('robot-1'));
    const link = await openLink();
    await until(() => link.connected());
    return {
      link,
      ...SIMULATED_SAMPLES,
      async cut() {
        await robot.relay.close();
        await until(() => !link.connected());
      },
      async mend() {
        robot = joinBroker(broker.url('robot-1'));
        await until(() => link.connected());
      },
      async end() {
        await link.close();
        await robot.relay.close();
        await robot.robot.close();
      },
    };
  });

  describe('with the example robot in Python', () => {
    let python: ChildProcess;
    let link: RobotLink;
    beforeEach(async () => {
      const args = [join(ROOT, 'examples/robot-mqtt.py'), '127.0.0.1', String(broker.port), 'robot-1'];
      const env = { ...process.env, ROBOT_MQTT_PASSWORD: broker.password('robot-1') };
      python = spawn('/usr/bin/python3', args, { stdio: 'ignore', env });
      link = await openLink();
      await until(() => link.connected());
    });
    afterEach(async () => {
      await link.close();
      python.kill('SIGKILL');
    });

    const send = async (command: string, value?: number, deadline = Date.now() + 5_000) => {
      const asked = value === undefined ? { command, sender: SENDER } : { command, value, sender: SENDER };
      return link.send(asked, { deadline, signal: new AbortController().signal });
    };

    it('runs commands, validates them itself, and stops', async () => {
      expect(await send('get_language')).toBe('en');
      expect(await send('sound_level', 7)).toEqual({ sound_level: 7 });
      expect(await refusal(() => send('sound_level', 101))).toMatchObject({ code: 'validation_failed' });
      expect(await refusal(() => send('fly'))).toMatchObject({
        code: 'unknown_command',
        members: { command_ran: 'no' },
      });
      const options = { deadline: Date.now() + 5_000, signal: new AbortController().signal };
      expect(await link.stop(options)).toEqual({ stopped: true, cancelled_missions: 0 });
    });

    it('counts as offline immediately after it is killed', async () => {
      python.kill('SIGKILL');
      await until(() => !link.connected());
      const failure = await refusal(() => send('get_language'));
      expect(failure).toMatchObject({ code: 'robot_unavailable', members: { command_ran: 'no' } });
      expect(failure.headers).toEqual({ 'retry-after': '5' });
    });
  });

  describe('on failures', () => {
    it('runs no command twice or late while the broker is killed or frozen', async () => {
      const shots = await hammer(async (broker, answered) => {
        await pause(300);
        await broker.kill();
        await pause(100);
        await broker.start();
        await answered();
        broker.freeze();
        await pause(1_200);
        broker.goOn();
        await pause(300);
      });
      expect(broken(shots)).toEqual([]);
      const outcomes = new Set(shots.map(({ outcome }) => (outcome instanceof ServiceError ? outcome.code : outcome)));
      expect([...outcomes].sort()).toEqual(['ok', 'robot_timeout', 'robot_unavailable']);
    });

    const lines: string[] = [];
    const logger = loggerInto(lines, 'trace');

    it.each([
      ['a wrong password', () => broker.url('service', '/robot-1').replace('s3cret-service', 'wr0ng')],
      ['a broker that is not there', () => 'mqtt://service:wr0ng@127.0.0.1:1/robot-1'],
    ])('rejects every command immediately and reveals no secret with %s', async (_what, url) => {
      lines.length = 0;
      const config = testConfig({ SERVICE_ROBOT_URL: url() });
      const link = await openMqttLink(config, { logger, clock: Date.now });
      const options = { deadline: Date.now() + 60_000, signal: new AbortController().signal };
      const failure = await refusal(() => link.send({ command: 'get_language', sender: SENDER }, options));
      expect(failure).toMatchObject({ code: 'robot_unavailable', members: { command_ran: 'no' } });
      expect(await refusal(() => link.stop(options))).toMatchObject({ code: 'robot_unavailable' });
      expect(() => link.catalogue()).toThrow(failure.message);
      await link.close();
      expect(lines.length).toBeGreaterThan(0);
      expect([...lines, failure.message].join()).not.toMatch(/wr0ng|s3cret|service:/);
    });

    it('names the setting when the broker rejects the credentials', async () => {
      const url = broker.url('service', '/robot-1').replace('s3cret-service', 'wr0ng');
      const link = await openMqttLink(testConfig({ SERVICE_ROBOT_URL: url }), {
        logger: silentLogger,
        clock: Date.now,
      });
      expect(() => link.catalogue()).toThrow('refused the user or password in SERVICE_ROBOT_URL');
      await link.close();
    });

    it('lets a second robot with the same id take over, and the first stand by', async () => {
      const first = joinBroker(broker.url('robot-1'));
      const link = await openLink();
      await until(() => link.connected());
      const second = joinBroker(broker.url('robot-1'));
      const level = { command: 'sound_level', value: 3, sender: SENDER };
      const options = () => ({ deadline: Date.now() + 5_000, signal: new AbortController().signal });
      await until(async () => {
        await Promise.resolve(link.connected() ? link.send(level, options()) : undefined).catch(() => undefined);
        return second.audit.kept.length > 0;
      });
      // Until the first one stands by, each of the two may lose its place for a moment.
      await until(async () => {
        const before = first.audit.kept.length;
        try {
          for (let n = 0; n < 20; n += 1) await link.send(level, options());
        } catch {
          return false;
        }
        return first.audit.kept.length === before;
      });
      await Promise.all([link.close(), first.relay.close(), second.relay.close()]);
    });

    it('cannot publish for another robot, because the broker forbids it', async () => {
      const impostor = joinBroker(broker.url('robot-2'), { robotId: 'robot-1' });
      const link = await openLink();
      const other = joinBroker(broker.url('robot-2'), { robotId: 'robot-2' });
      const settings = { SERVICE_ROBOT_URL: broker.url('service', '/robot-2'), SERVICE_ROBOT_ID: 'robot-2' };
      const proper = await openMqttLink(testConfig(settings), { logger: silentLogger, clock: Date.now });
      await until(() => proper.connected());
      expect([link.connected(), proper.connected()]).toEqual([false, true]);
      await Promise.all([link.close(), proper.close(), impostor.relay.close(), other.relay.close()]);
    });
  });
});
