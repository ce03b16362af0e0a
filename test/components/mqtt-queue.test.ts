import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connectAsync } from 'mqtt';
import { openMqttLink } from '../../functions/shared/robot-link/adapters/mqtt/open.ts';
import { describeWith } from '../support/components.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { silentLogger, testConfig } from '../support/world.ts';

const SENDER = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
const LONG = 'x'.repeat(16 * 1024);
const COMMANDS = 3_000; // with their length more than the sockets between broker and robot hold

describeWith('mosquitto', MOSQUITTO, 'A slow robot behind mosquitto with default settings', () => {
  let broker: TestBroker;

  beforeAll(async () => {
    broker = await startMosquitto();
  });
  afterAll(() => broker.kill());

  it('receives a stop, however many callers have sent commands and hung up', async () => {
    const robot = await connectAsync(broker.url('robot-1'), { protocolVersion: 5, clientId: 'robot-robot-1' });
    let heard = 0;
    robot.on('message', (topic, payload, { properties }) => {
      heard += 1;
      if (!topic.endsWith('/stop')) return;
      const { id } = JSON.parse(payload.toString());
      const answer = JSON.stringify({ v: 1, id, ok: true, result: { stopped: true } });
      const correlationData = properties?.correlationData as Buffer; // as: every question has one
      robot.publish(properties?.responseTopic ?? '', answer, { properties: { correlationData } });
    });
    await robot.subscribeAsync(['robots/robot-1/commands', 'robots/robot-1/stop']);
    const say = { name: 'say', kind: 'str', title: 'Say', effect: 'action', motion: false };
    const presence = JSON.stringify({ v: 1, online: true, session: 's', catalogue: [say] });
    await robot.publishAsync('robots/robot-1/presence', presence, { retain: true });
    const config = testConfig({ SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
    const link = await openMqttLink(config, { logger: silentLogger, clock: Date.now });
    await until('the robot is there', () => link.connected());

    robot.stream.pause(); // it reads nothing any more
    let refused = 0;
    for (let count = 0; count < COMMANDS; count += 1) {
      const caller = new AbortController();
      const options = { deadline: Date.now() + 60_000, signal: caller.signal };
      const asked = Promise.resolve(link.send({ command: 'say', value: LONG, sender: SENDER }, options));
      setImmediate(() => caller.abort(new Error('hung up')));
      await asked.catch((error: Error) => {
        if (error.message !== 'hung up') refused += 1;
      });
    }
    const stopping = link.stop({ deadline: Date.now() + 60_000, signal: new AbortController().signal });
    robot.stream.resume();
    expect(await stopping).toEqual({ stopped: true });
    expect([heard - 1, refused]).toEqual([250, COMMANDS - 250]);
    await link.close();
    await robot.endAsync();
  }, 120_000);
});
