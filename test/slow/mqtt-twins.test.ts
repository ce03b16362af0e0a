import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { connectAsync } from 'mqtt';
import { openMqttLink } from '../../functions/shared/robot-link/adapters/mqtt/open.ts';
import type { RobotLink } from '../../functions/shared/robot-link/port.ts';
import { describeWith } from '../support/components.ts';
import { countingMetrics } from '../support/metrics.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { joinBroker, type RelayedRobot } from '../support/relay.ts';
import { scriptedLink } from '../support/robot.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { silentLogger, testConfig } from '../support/world.ts';

const SENDER = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
const options = () => ({ deadline: Date.now() + 10_000, signal: new AbortController().signal });

describeWith('mosquitto', MOSQUITTO, 'Two relays with one robot id', () => {
  let broker: TestBroker;
  let link: RobotLink | undefined;
  let service: TestService | undefined;
  const robots: RelayedRobot[] = [];

  beforeAll(async () => {
    broker = await startMosquitto();
  });
  afterAll(() => broker.kill());
  afterEach(async () => {
    await link?.close();
    await service?.stop();
    for (const { relay } of robots.splice(0)) await relay.close();
    [link, service] = [undefined, undefined];
  });

  function join(name: string, probeIntervalMs?: number) {
    const counted = countingMetrics();
    const body = scriptedLink(() => name);
    const robot = joinBroker(broker.url('robot-1'), {
      link: body,
      metrics: counted.metrics,
      ...(probeIntervalMs ? { probeIntervalMs } : {}),
    });
    robots.push(robot);
    return { ...robot, body, calls: counted.calls };
  }

  async function serve(): Promise<RobotLink> {
    const config = testConfig({ SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
    link = await openMqttLink(config, { logger: silentLogger, clock: Date.now });
    await until('the robot is there', () => link?.connected() === true);
    return link;
  }

  const ask = (from: RobotLink) => from.send({ command: 'a_int', value: 1, sender: SENDER }, options());

  it('end with one standing by and reporting it, and the other one connected', async () => {
    const first = join('first');
    const there = await serve();
    expect(await ask(there)).toBe('first');
    const second = join('second');
    await until('one of them stays off', () => robots.some(({ relay }) => relay.problem() !== undefined));
    const problems = robots.map(({ relay }) => relay.problem());
    expect(problems.filter((problem) => problem !== undefined)).toEqual([expect.stringContaining('"robot-1"')]);
    const [off, on] = problems[0] === undefined ? [second, first] : [first, second];
    await until('the other one answers', async () => {
      return (
        there.connected() && (await Promise.resolve(ask(there)).catch(() => '')) === (on === first ? 'first' : 'second')
      );
    });
    expect(await there.stop(options())).toEqual({ stopped: true });
    await new Promise((resolve) => setTimeout(resolve, 2_000)); // nobody throws anybody out any more
    expect(robots.map(({ relay }) => relay.problem())).toEqual(problems);
    expect([off.calls('robotIdConflict'), on.calls('robotIdConflict')]).toEqual([[['relay']], []]);
  });

  it('reconnect the one standing by when the other is gone', async () => {
    join('first', 1_500);
    const there = await serve();
    join('second', 1_500);
    await until('one of them stays off', () => robots.some(({ relay }) => relay.problem() !== undefined));
    const off = robots.findIndex(({ relay }) => relay.problem() !== undefined);
    await new Promise((resolve) => setTimeout(resolve, 4_000)); // it looks twice, and throws nobody out
    expect(robots[off]?.relay.problem()).toBeDefined();
    await robots[1 - off]?.relay.close();
    await until('it is back', () => robots[off]?.relay.problem() === undefined);
    await until('it answers', async () => {
      return (await Promise.resolve(ask(there)).catch(() => '')) === ['first', 'second'][off];
    });
  });

  it('are distinguished from a stale presence, so that a lone robot always reconnects', async () => {
    const lone = join('lone');
    const there = await serve();
    const stale = JSON.stringify({ v: 1, online: true, session: 'of a former life', catalogue: [] });
    for (let round = 0; round < 4; round += 1) {
      const intruder = await connectAsync(broker.url('robot-1'), { protocolVersion: 5, clientId: 'robot-robot-1' });
      await intruder.publishAsync('robots/robot-1/presence', stale, { retain: true, qos: 1 });
      await intruder.endAsync();
      await until('it answers again', async () => (await Promise.resolve(ask(there)).catch(() => '')) === 'lone');
    }
    expect([lone.relay.problem(), lone.calls('linkLost')]).toEqual([undefined, Array(4).fill(['relay'])]);
  });

  it('make the service of the one standing by not ready', async () => {
    service = await startTestService({
      settings: { SERVICE_MODE: 'robot', SERVICE_ROBOT_URL: 'sim:', SERVICE_RELAY_URL: broker.url('robot-1') },
    });
    const ready = async () => (await service?.as(undefined, '/health/ready'))?.json.parts.relay;
    expect(await ready()).toEqual({ ok: true });
    const other = join('other');
    await until('one of them stays off', async () => other.relay.problem() !== undefined || !(await ready()).ok);
    // The one that came first sees the other first.
    expect(await ready()).toEqual({ ok: false, reason: expect.stringContaining('its own SERVICE_ROBOT_ID') });
    expect((await service.as(undefined, '/metrics')).text).toContain('robot_id_conflicts_total{seen_by="relay"} 1');
  });
});
