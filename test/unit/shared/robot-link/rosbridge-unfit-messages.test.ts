import { expect, it } from '@jest/globals';
import { isJsonObject, type JsonValue } from '../../../../functions/shared/kit/json.ts';
import { until } from '../../../support/processes.ts';
import { clientOf, openLink, startStandIn } from '../../../support/rosbridge-link.ts';
import { closeAfterEach } from '../../../support/rosbridge-navigation.ts';
import { loggerInto } from '../../../support/world.ts';

closeAfterEach();

const MAPPING = `
ros: 1
stop:
  publish: [{ name: /cmd_vel, type: geometry_msgs/Twist }]
  still: { name: /odom, type: nav_msgs/Odometry, zero: [twist.linear.x], throttle_ms: 0 }
state: [{ topic: /odom, type: nav_msgs/Odometry }]
commands: {}
`;
const odometry = (speed: JsonValue) => ({
  pose: { pose: { position: { x: 1, y: 2, z: 0 }, orientation: { x: 0, y: 0, z: 0, w: 1 } } },
  twist: { twist: { linear: { x: speed, y: 0 }, angular: { z: 0 } } },
});

async function scene() {
  const lines: string[] = [];
  const standIn = await startStandIn();
  const link = await openLink(MAPPING, standIn.url, { logger: loggerInto(lines, 'warn') });
  await standIn.until(() => standIn.of('subscribe', '/odom').length === 2);
  const reasons = () => {
    const entries = lines.map((line): JsonValue => JSON.parse(line)).filter(isJsonObject);
    return entries.filter(({ topic }) => topic === '/odom').map(({ reason, msg }) => String(reason ?? msg));
  };
  return { standIn, reasons, ...clientOf(link) };
}

it.each([
  ['null', null],
  ['a string', '0.0'],
])('logs once that the speed of an odometry is %s', async (_what, speed) => {
  const { standIn, reasons, link } = await scene();
  for (let times = 0; times < 3; times += 1) standIn.publish('/odom', odometry(speed));
  await until('the pose to be known', () => link.state?.()?.pose !== undefined);
  await until('it to be logged', () => reasons().length > 0);
  expect(reasons()).toEqual(['it has no number twist.twist.linear.x']);
});

it('logs once for each connection that NaN is no JSON', async () => {
  const { standIn, reasons } = await scene();
  const text = JSON.stringify({ op: 'publish', topic: '/odom', msg: odometry(0) }).replace('"x":0,"y":0}', '"x":NaN}');
  for (let times = 0; times < 3; times += 1) standIn.sendText(text);
  await until('it to be logged', () => reasons().length >= 2);
  expect(new Set(reasons())).toEqual(new Set([expect.stringContaining('not JSON; NaN')]));
  expect(reasons().length).toBeLessThanOrEqual(3);
});

it('names the number that `still` does not find', async () => {
  const { standIn, stop } = await scene();
  const telling = setInterval(() => standIn.publish('/odom', odometry(0)), 10);
  try {
    await expect(stop({ deadline: Date.now() + 2_000 })).rejects.toMatchObject({
      code: 'robot_timeout',
      message: expect.stringContaining('/odom has no number twist.linear.x'),
    });
  } finally {
    clearInterval(telling);
  }
});
