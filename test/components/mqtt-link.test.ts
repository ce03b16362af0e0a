import { afterAll, beforeAll } from '@jest/globals';
import { openMqttLink } from '../../functions/shared/adapters/robot-link/mqtt/open.ts';
import { describeWith } from '../support/components.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { joinBroker } from '../support/relay.ts';
import { robotLinkContract, until } from '../support/robot-link-contract.ts';
import { SIMULATED_SAMPLES } from '../support/simulated-samples.ts';
import { silentLogger, testConfig } from '../support/world.ts';

describeWith('mosquitto', MOSQUITTO, 'Over a real MQTT broker', () => {
  let broker: TestBroker;
  beforeAll(async () => {
    broker = await startMosquitto();
  });
  afterAll(() => broker.kill());

  function openLink() {
    const config = testConfig({ SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
    return openMqttLink(config, silentLogger, Date.now);
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
});
