import { expect, it } from '@jest/globals';
import { maskUrl } from '../../../../functions/shared/observability/mask-url.ts';

it.each([
  ['mqtts://robot-1:s3cret@broker:8883/robot-1', 'mqtts://robot-1:***@broker:8883/robot-1'],
  ['mqtt://robot-1:s3@cr@et@broker/robot-1', 'mqtt://robot-1:***@broker/robot-1'],
  ['ws://robot:s3cret@10.0.0.7:9090/path?token=s3cr@et&more=1', 'ws://robot:***@10.0.0.7:9090/path?***'],
  ['wss://robot:9090/?token=s3cret', 'wss://robot:9090/?***'],
  ['mqtt://:s3cret@broker', 'mqtt://:***@broker'],
])('shows %s as %s', (url, shown) => {
  expect(maskUrl(url)).toBe(shown);
});

it.each(['sim:', 'mqtt://broker:1883/robot-1', 'ws://10.0.0.7:9090', 'sqlite:////data/robot.sqlite', 'none'])(
  'shows %s as it is',
  (url) => {
    expect(maskUrl(url)).toBe(url);
  },
);
