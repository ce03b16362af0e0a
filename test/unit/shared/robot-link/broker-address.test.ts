import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../../functions/shared/config.ts';
import { brokerAddress } from '../../../../functions/shared/robot-link/adapters/broker/broker-address.ts';
import { testConfig } from '../../../support/world.ts';

describe('The address of a broker', () => {
  it.each([
    ['mqtt://broker', { tls: false, host: 'broker', port: 1883 }],
    ['mqtts://broker/', { tls: true, host: 'broker', port: 8883 }],
    ['mqtt://broker:1884/robot-1', { tls: false, host: 'broker', port: 1884, robotId: 'robot-1' }],
    ['mqtts://[::1]/r', { tls: true, host: '::1', port: 8883, robotId: 'r' }],
    ['mqtt://u%40x:p%2Fw@b', { tls: false, host: 'b', port: 1883, username: 'u@x', password: 'p/w' }],
  ])('is read from %s', (url, expected) => {
    expect(brokerAddress(url, 'SERVICE_ROBOT_URL')).toEqual(expected);
  });

  it.each([
    'http://secret@broker',
    'mqtt://',
    'mqtt:///secret',
    'mqtt://secret/a/b',
    'mqtt://secret/a.b',
    'mqtt://secret/+',
    `mqtt://secret/${'x'.repeat(65)}`,
    'mqtt://secret/r?x=1',
    'mqtt://secret:%zz@broker',
    'secret',
  ])('is refused as %s, without repeating it', (url) => {
    expect(() => brokerAddress(url, 'SERVICE_RELAY_URL')).toThrow(/^SERVICE_RELAY_URL: (?!.*secret)/);
  });

  it.each([
    ['mqtt://broker', true],
    ['mqtts://u:p@broker:8883/', true],
    ['mqtt://broker/robot-7', false],
    ['sim:', false],
  ])('%s decides whether the path names the robot', (url, fleet) => {
    expect(testConfig({ SERVICE_ROBOT_URL: url }).fleet).toBe(fleet);
  });

  it('names the robot whose tokens are minted, unless a setting does', () => {
    const url = { SERVICE_ROBOT_URL: 'mqtts://u:p@broker/robot-7' };
    expect(loadConfig(url).config.SERVICE_ROBOT_ID).toBe('robot-7');
    expect(loadConfig({ ...url, SERVICE_ROBOT_ID: 'own' }).config.SERVICE_ROBOT_ID).toBe('own');
  });
});
