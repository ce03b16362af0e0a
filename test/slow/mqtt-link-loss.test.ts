import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { arrivalStamp } from '../../functions/shared/control/fence.ts';
import { openMqttLink } from '../../functions/shared/robot-link/adapters/mqtt/open.ts';
import type { RobotLink } from '../../functions/shared/robot-link/port.ts';
import { describeWith } from '../support/components.ts';
import { refusal } from '../support/errors.ts';
import { countingMetrics } from '../support/metrics.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { joinBroker, type RelayedRobot } from '../support/relay.ts';
import { silentLogger, testConfig } from '../support/world.ts';

const SENDER = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
const FAR = { x: 900, y: 0, z: 0, theta: 0 };
const options = () => ({ deadline: Date.now() + 10_000, signal: new AbortController().signal });

describeWith('mosquitto', MOSQUITTO, 'A robot that loses the broker', () => {
  let broker: TestBroker;
  let relayed: RelayedRobot;
  let counted: ReturnType<typeof countingMetrics>;
  let link: RobotLink;

  beforeAll(async () => {
    broker = await startMosquitto();
  });
  afterAll(() => broker.kill());
  beforeEach(async () => {
    counted = countingMetrics();
    const { metrics } = counted;
    relayed = joinBroker(broker.url('robot-1'), { metrics });
    const config = testConfig({ SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
    link = await openMqttLink(config, { logger: silentLogger, clock: Date.now, metrics });
    await until(() => link.connected());
  });
  afterEach(async () => {
    await link.close();
    await relayed.relay.close();
  });

  const go = (to: RobotLink) =>
    to.send({ command: 'go_to_relative', value: FAR, sender: SENDER, arrivedAt: arrivalStamp() }, options());
  const moving = () => {
    const { moving } = relayed.robot.send({ command: 'get_pose', sender: SENDER }, options()) as { moving: boolean }; // as: get_pose says so
    return moving;
  };

  it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    ['killed', () => broker.kill(), () => broker.start()],
    ['frozen', async () => broker.freeze(), async () => broker.goOn()],
  ])(
    '%s, stops what came through it, and refuses later what was sent before',
    async (_how, breakIt, mend) => {
      await go(link);
      expect(moving()).toBe(true);
      const before = relayed.robot.fence.read();
      const broken = performance.now();
      await breakIt();
      await until(() => !moving());
      expect(performance.now() - broken).toBeLessThan(10_000); // ten times what its presence promises
      expect(relayed.robot.fence.read()).toBe(before + 1);
      expect(counted.calls('linkLossStop')).toHaveLength(1);
      await mend();
      await until(() => link.connected() && link.fence.read() === before + 1);
      await go(link);
      expect(moving()).toBe(true);
    },
    60_000,
  );

  it('continues motion that was started on the machine itself', async () => {
    await go(link);
    await go(relayed.robot);
    await broker.kill();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(moving()).toBe(true);
    expect(counted.calls('linkLossStop')).toEqual([]);
    expect(counted.calls('linkLost').sort()).toEqual([['mqtt'], ['relay']]);
    await broker.start();
  });

  it('continues when only the service is gone, which is no loss of the link', async () => {
    await go(link);
    await link.close();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(moving()).toBe(true);
    expect((await refusal(() => go(link))).code).toBe('robot_unavailable');
  });
});
