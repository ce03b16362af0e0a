import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Broker } from '../../../../functions/shared/robot-link/adapters/broker/broker.ts';
import { brokerAddress } from '../../../../functions/shared/robot-link/adapters/broker/broker-address.ts';
import { type FakeBroker, startFakeBroker } from '../../../support/fake-broker.ts';
import { until } from '../../../support/processes.ts';
import { countedRefusals } from '../../../support/refusals.ts';
import { loggerInto } from '../../../support/world.ts';

const TAKEN_OVER = 0x8e;
const NOT_AUTHORIZED = 0x87;

let server: FakeBroker;
let broker: Broker;
let lines: string[];
let came: number;
let went: number;
let refused: ReturnType<typeof countedRefusals>;

beforeEach(async () => {
  server = await startFakeBroker();
  lines = [];
  came = 0;
  went = 0;
  refused = countedRefusals();
});
afterEach(async () => {
  await broker.close();
  await server.close();
});

function join(url = server.url, topics = (): Record<string, 0 | 1> => ({ 'robots/robot-1/stop': 0 })): void {
  broker = new Broker({
    address: brokerAddress(url, 'SERVICE_RELAY_URL'),
    clientId: 'robot-1',
    setting: 'SERVICE_RELAY_URL',
    logger: loggerInto(lines, 'info'),
    refusals: refused.refusals,
    topics,
    onMessage: () => undefined,
    onUp: () => {
      came += 1;
    },
    onDown: () => {
      went += 1;
    },
  });
}

const upAgain = (times: number) => until(`it is up for time ${times}`, () => came === times);

describe('The connection to a broker', () => {
  it('reports that nothing was heard until it is up', async () => {
    join();
    expect(broker.problem).toBe('The MQTT broker has not answered yet.');
    expect(() => broker.publish('robots/robot-1/presence', '{}', {})).toThrow('no connection');
    await broker.settled(15_000);
    expect([broker.up, broker.problem]).toEqual([true, undefined]);
  });

  it('is not up before it has subscribed to what was added meanwhile', async () => {
    let asked = 0;
    join(server.url, () => {
      asked += 1;
      return asked === 1 ? { 'robots/robot-1/stop': 0 } : { 'robots/robot-1/stop': 0, 'robots/robot-1/presence': 1 };
    });
    await upAgain(1);
    expect(server.subscribes.at(-1)?.toString('latin1')).toContain('robots/robot-1/presence');
  });

  it('outlives topics that are refused later', async () => {
    join();
    await upAgain(1);
    server.granting(NOT_AUTHORIZED);
    await expect(broker.subscribe('robots/robot-1/state', { qos: 0 })).rejects.toThrow();
    expect([broker.up, went]).toEqual([true, 0]);
  });

  it('knows for how long the broker owes an answer to a ping', async () => {
    join();
    await upAgain(1);
    expect([broker.pings.any, broker.pings.waitMs]).toEqual([false, 0]);
    broker.ping();
    await until('it has waited', () => broker.pings.waitMs > 20);
    server.send(Buffer.from([0xd0, 0])); // PINGRESP
    await until('it is answered', () => !broker.pings.any);
    broker.ping();
    server.end();
    await upAgain(2);
    expect(broker.pings.any).toBe(false);
  });

  it('signs in with the user and password of its address, and without any when there are none', async () => {
    join(server.url.replace('//', '//maria:s3cret@'));
    await upAgain(1);
    await broker.close();
    join();
    await upAgain(2);
    const [signedIn = '', anonymous = ''] = server.connects.map(String);
    expect([signedIn.includes('maria'), signedIn.includes('s3cret')]).toEqual([true, true]);
    expect(anonymous).not.toMatch(/maria|s3cret/);
  });

  it('taken over by another client is retried later and says why', async () => {
    join();
    await upAgain(1);
    server.end(TAKEN_OVER);
    await until('it is down', () => went === 1);
    expect(broker.problem).toBe('Another client has joined the MQTT broker under the same id.');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(server.connects).toHaveLength(1);
  });

  it('that breaks soon after opening is retried with growing delays', async () => {
    join();
    const pauses: number[] = [];
    for (let time = 1; time <= 4; time += 1) {
      await upAgain(time);
      server.end();
      await until('it is down', () => went === time);
      const lost = performance.now();
      await upAgain(time + 1);
      pauses.push(performance.now() - lost);
    }
    // From 200 ms on the pause doubles; half of each is chance. What holds a machine up makes them longer, but for the moment in which each side notices the end.
    for (const [time, pause] of pauses.entries()) expect(pause).toBeGreaterThan(80 * 2 ** time);
  });

  it('is not up when a topic is refused, and the log names the setting', async () => {
    server.granting(NOT_AUTHORIZED);
    join();
    await until('it is told', () => lines.some((line) => line.includes('refused a topic')));
    await until('it is given up', () => broker.problem?.includes('is down') === true);
    expect([came, broker.up]).toEqual([0, false]);
    expect(lines.find((line) => line.includes('refused a topic'))).toContain('SERVICE_RELAY_URL');
    server.granting(0);
    await upAgain(1);
  });

  it('is closed when the broker starts an oversized packet', async () => {
    join();
    await upAgain(1);
    const before = process.memoryUsage().external;
    server.send(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f])); // PUBLISH of 268 435 455 bytes
    await until('it is down', () => went === 1);
    expect(refused.counts).toEqual({ packets: 1 });
    expect(process.memoryUsage().external - before).toBeLessThan(64 * 1024 * 1024);
    await upAgain(2);
  });
});
