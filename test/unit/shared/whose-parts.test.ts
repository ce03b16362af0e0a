import { describe, expect, it } from '@jest/globals';
import { ofHost } from '../../../functions/shared/remote-robot.ts';
import { simulatedParts } from '../../../functions/shared/simulated-parts.ts';
import { testConfig } from '../../support/world.ts';

const robotMode = (url: string) => testConfig({ SERVICE_MODE: 'robot', SERVICE_ROBOT_URL: url });

describe('The parts of a service', () => {
  it.each(['sim:', 'SIM:', 'Sim:x'])('count as simulated with %s in robot mode, the robot alone', (url) => {
    expect(simulatedParts(robotMode(url))).toEqual(['robot']);
  });

  it.each(['mqtt://broker/robot-1', 'MQTTS://broker/robot-1', 'ws://robot.local:9090', 'wss://192.0.2.7'])(
    'that are files and devices belong to the host with a robot at %s',
    (url) => {
      expect(ofHost(robotMode(url))).toEqual({ of: 'host' });
    },
  );

  it.each(['sim:', 'ws://localhost:9090', 'ws://127.0.0.1:9090', 'ws://[::1]:9090'])(
    'that are files and devices belong to the robot with a robot at %s',
    (url) => {
      expect(ofHost(robotMode(url))).toEqual({});
    },
  );

  it('belong to the robot without a link to another one', () => {
    expect(ofHost(testConfig({ SERVICE_MODE: 'robot' }))).toEqual({});
  });
});
