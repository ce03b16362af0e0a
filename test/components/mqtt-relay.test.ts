import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { ServiceError } from '../../functions/shared/errors.ts';
import { openMqttFleet, openMqttLink } from '../../functions/shared/robot-link/adapters/mqtt/open.ts';
import type { RobotLink } from '../../functions/shared/robot-link/port.ts';
import { describeWith } from '../support/components.ts';
import { refusal } from '../support/errors.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { joinBroker, type RelayedRobot } from '../support/relay.ts';
import { scriptedLink } from '../support/robot.ts';
import { silentLogger, testConfig } from '../support/world.ts';

const SENDER = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
const options = () => ({ deadline: Date.now() + 20_000, signal: new AbortController().signal });

describeWith('mosquitto', MOSQUITTO, 'A robot that relays commands through a broker', () => {
  let broker: TestBroker;
  let robot: RelayedRobot;
  let link: RobotLink;

  beforeAll(async () => {
    broker = await startMosquitto(['max_packet_size 300000']);
  });
  afterAll(() => broker.kill());
  afterEach(async () => {
    await link.close();
    await robot.relay.close();
  });

  async function join(body: RobotLink): Promise<void> {
    robot = joinBroker(broker.url('robot-1'), { link: body });
    const config = testConfig({ SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
    link = await openMqttLink(config, { logger: silentLogger, clock: Date.now });
    await until(() => link.connected());
  }

  const ask = async (value: number) => link.send({ command: 'a_int', value, sender: SENDER }, options());

  it.each([
    ['for the broker', 400_000],
    ['for anybody', 1_100_000],
  ])('reports an answer too long %s, and that the command may have run', async (_whom, length) => {
    await join(scriptedLink(({ value }) => (value === 1 ? 'x'.repeat(length) : 'short')));
    expect(await refusal(() => ask(1))).toMatchObject({
      code: 'robot_error',
      message: expect.stringContaining('too long'),
      members: { command_ran: 'maybe' },
    });
    expect(await ask(2)).toBe('short');
  });

  it('reports when it loses its robot link, and when it is back', async () => {
    let connected = true;
    await join({ ...scriptedLink(() => 'ok'), connected: () => connected });
    connected = false;
    await until(() => !link.connected());
    expect(await refusal(() => ask(1))).toMatchObject({
      code: 'robot_unavailable',
      message: expect.stringContaining('It said: The service has lost its link to the robot.'),
      members: { command_ran: 'no' },
    });
    connected = true;
    await until(() => link.connected());
    expect(await ask(1)).toBe('ok');
  });

  it('is found again immediately after the broker restarts during a pause', async () => {
    const config = testConfig({ SERVICE_ROBOT_URL: broker.url('service') });
    const fleet = openMqttFleet(config, { logger: silentLogger, clock: Date.now });
    robot = joinBroker(broker.url('robot-1'), { link: scriptedLink(() => 'ok') });
    link = await fleet.robot('robot-1');
    await until(() => link.connected());
    expect(await fleet.robot('robot-1')).toBe(link);
    await fleet.thaw(); // nothing is lost: nothing is done
    expect(link.connected()).toBe(true);
    await broker.kill();
    await until(() => !link.connected());
    await fleet.thaw();
    expect(link.connected()).toBe(false);
    await broker.start();
    await fleet.thaw();
    expect(fleet.connected()).toBe(true);
    await until(() => link.connected());
    expect(await ask(1)).toBe('ok');
    await fleet.close();
  });

  it('reports a failed stop, and records the request in its own audit trail', async () => {
    const stuck = () => {
      throw new ServiceError('robot_error', { detail: 'The brakes do not answer.' });
    };
    await join({ ...scriptedLink(() => 'ok'), stop: stuck });
    const failure = await refusal(() => link.stop(options(), SENDER));
    expect(failure).toMatchObject({ code: 'robot_error', members: { command_ran: 'maybe' } });
    expect(failure.message).toContain('The brakes do not answer.');
    expect(robot.audit.kept).toMatchObject([
      { client_id: 'alice', subject: { command: 'stop' }, outcome: 'robot_error' },
    ]);
  });
});
