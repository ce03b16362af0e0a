import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../../../functions/shared/config.ts';
import { joinBroker } from '../../../support/relay.ts';

describe('Joining a broker', () => {
  it.each([
    ['SERVICE_RELAY_URL names a robot', 'mqtt://broker/robot-1', 'robot-1', 'SERVICE_RELAY_URL'],
    ['SERVICE_ROBOT_ID does not fit into a topic', 'mqtt://broker', 'robot.1', 'SERVICE_ROBOT_ID'],
    ['SERVICE_RELAY_URL leads to no broker', 'https://broker', 'robot-1', 'SERVICE_RELAY_URL'],
  ])('is refused at startup when %s', (_why, url, robotId, setting) => {
    const join = () => joinBroker(url, { robotId });
    expect(join).toThrow(ConfigError);
    expect(join).toThrow(setting);
  });
});
