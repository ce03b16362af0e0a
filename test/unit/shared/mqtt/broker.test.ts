import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Broker } from '../../../../functions/shared/adapters/mqtt/broker.ts';
import { brokerAddress } from '../../../../functions/shared/adapters/mqtt/broker-address.ts';
import { createLogger } from '../../../../functions/shared/logger.ts';
import { type FakeBroker, startFakeBroker } from '../../../support/fake-broker.ts';
import { until } from '../../../support/processes.ts';

const TAKEN_OVER = 0x8e;
const NOT_AUTHORIZED = 0x87;

let server: FakeBroker;
let broker: Broker;
let lines: string[];
let came: number;
let went: number;

beforeEach(async () => {
  server = await startFakeBroker();
  lines = [];
  came = 0;
  went = 0;
});
afterEach(async () => {
  await broker.close();
  await server.close();
});

function join(url = server.url): void {
  broker = new Broker({
    address: brokerAddress(url, 'SERVICE_RELAY_URL'),
    clientId: 'robot-1',
    setting: 'SERVICE_RELAY_URL',
    logger: createLogger('info', { write: (line: string) => void lines.push(line) }),
    topics: () => ({ 'robots/robot-1/stop': 0 }),
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
  it('says that nothing was heard yet until it stands', async () => {
    join();
    expect(broker.problem).toBe('The MQTT broker has not answered yet.');
    expect(() => broker.publish('robots/robot-1/presence', '{}', {})).toThrow('no connection');
    await broker.settled(15_000);
    expect([broker.up, broker.problem]).toEqual([true, undefined]);
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

  it('that the broker ends because another client took over is not made again at once, and says why', async () => {
    join();
    await upAgain(1);
    server.end(TAKEN_OVER);
    await until('it is down', () => went === 1);
    expect(broker.problem).toBe('Another client has joined the MQTT broker under the same id.');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(server.connects).toHaveLength(1);
  });

  it('that breaks soon after it stood, whatever the reason, is made again later every time', async () => {
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
    // From 200 ms on the pause doubles; half of each is chance. What holds a machine up makes them longer only.
    for (const [time, pause] of pauses.entries()) expect(pause).toBeGreaterThan(95 * 2 ** time);
  });

  it('does not count when a topic is refused: the log names the setting', async () => {
    server.granting(NOT_AUTHORIZED);
    join();
    await until('it is told', () => lines.some((line) => line.includes('refused a topic')));
    await until('it is given up', () => broker.problem?.includes('is down') === true);
    expect([came, broker.up]).toEqual([0, false]);
    expect(lines.find((line) => line.includes('refused a topic'))).toContain('SERVICE_RELAY_URL');
    server.granting(0);
    await upAgain(1);
  });

  it('ends when the broker begins a packet larger than it was told to send, before gathering it', async () => {
    join();
    await upAgain(1);
    const before = process.memoryUsage().external;
    server.send(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f])); // PUBLISH of 268 435 455 bytes
    await until('it is down', () => went === 1);
    expect(process.memoryUsage().external - before).toBeLessThan(64 * 1024 * 1024);
    await upAgain(2);
  });
});
