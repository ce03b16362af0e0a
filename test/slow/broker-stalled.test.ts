import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type FakeBroker, startFakeBroker } from '../support/fake-broker.ts';
import { until } from '../support/processes.ts';
import { sourcePath, startModule } from '../support/run-source.ts';

const MESSAGES = 3_000;

/** Publishes to a broker that has stopped reading, and says how much has not left it. */
const program = `
  import { Broker } from '${sourcePath('functions/shared/robot-link/adapters/broker/broker.ts')}';
  import { brokerAddress } from '${sourcePath('functions/shared/robot-link/adapters/broker/broker-address.ts')}';
  import { createLogger } from '${sourcePath('functions/shared/observability/logger.ts')}';
  const publish = () => {
    console.log('up');
    process.once('SIGUSR2', () => {
      for (let n = 0; n < ${MESSAGES}; n++) broker.publish('robots/robot-1/state', 'x'.repeat(4_000), {});
      setTimeout(() => process.exit(broker.backlog > 1_000_000 ? 0 : 1), 100); // warnings come with the next tick
    });
  };
  const broker = new Broker({
    address: brokerAddress(process.env.URL, 'SERVICE_RELAY_URL'),
    clientId: 'robot-1',
    setting: 'SERVICE_RELAY_URL',
    logger: createLogger('silent'),
    topics: () => ({ 'robots/robot-1/stop': 0 }),
    onMessage: () => undefined,
    onUp: publish,
  });`;

let broker: FakeBroker;
beforeAll(async () => {
  broker = await startFakeBroker();
});
afterAll(() => broker.close());

it('keeps no listener for each message that a broker has not taken yet', async () => {
  const process = startModule(program, { URL: broker.url });
  await until('it is connected', () => process.stdout().includes('up'));
  broker.stall();
  process.child.kill('SIGUSR2');
  const { code, stderr } = await process.ended;
  expect([code, stderr]).toEqual([0, '']);
});
