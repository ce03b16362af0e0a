import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../functions/shared/kit/json.ts';
import { Joystick } from '../support/joystick.ts';
import { until } from '../support/processes.ts';
import { closeScenes, scene } from '../support/rosbridge-link.ts';
import { RosbridgeStandIn } from '../support/rosbridge-server.ts';
import { SlowProxy } from '../support/slow-proxy.ts';

const MAPPING = `
ros: 2
stop: { service: [{ name: /halt, success: $answer.ok }] }
jog: { topic: /cmd_vel, type: geometry_msgs/msg/Twist, watchdog_ms: 300 }
commands: {}
`;
const AHEAD = { vx: 0.2, vy: 0, wz: 0 };
/** Connections are opened in this order. */
const JOG = 3;

const opened: Array<{ close(): unknown } | { drop(): void }> = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await ('close' in each ? each.close() : each.drop());
  await closeScenes();
});

/** A robot whose stick is held and whose network holds back all velocities from now on. */
async function heldUp() {
  const standIn = await RosbridgeStandIn.start();
  const proxy = await SlowProxy.start(standIn.port);
  const each = await scene(MAPPING, standIn, proxy.url);
  await standIn.until(() => standIn.of('advertise', '/cmd_vel').length === 2);
  const stick = new Joystick(each.link, AHEAD);
  opened.push(stick, proxy);
  await standIn.until(() => standIn.of('publish', '/cmd_vel').length >= 3);
  proxy.hold(JOG);
  const before = standIn.of('publish', '/cmd_vel').length;
  const speeds = () => standIn.of('publish', '/cmd_vel').slice(before).map(speedOf);
  await until(() => stick.refusals.length > 0);
  return { ...each, proxy, stick, speeds };
}

function speedOf({ msg }: JsonObject): number {
  return (msg as { linear: { x: number } }).linear.x; // as: a Twist
}

describe('Velocities that a network holds back', () => {
  it('are followed by a zero, which arrives behind them, and refused until they are gone', async () => {
    const { proxy, stick, speeds } = await heldUp();
    expect(stick.refusals[0]).toMatchObject({ code: 'robot_unavailable' });
    expect(proxy.heldBytes(JOG)).toBeGreaterThan(0);
    // Past them, over the connection of the stops.
    await until(() => speeds().includes(0));
    expect(speeds().filter((speed) => speed > 0)).toEqual([]);
    stick.drop();
    const atMost = 20;
    proxy.release();
    await until(() => speeds().some((speed) => speed > 0));
    await sleep(300);
    expect(speeds().filter((speed) => speed > 0).length).toBeLessThan(atMost);
    expect(speeds().at(-1)).toBe(0);
  });

  it('are dropped with their connection after a second, and driving goes on over the next one', async () => {
    const { proxy, stick, speeds } = await heldUp();
    await until(() => proxy.connectionCount > JOG + 1);
    const { sent } = stick;
    await until(() => stick.sent > sent + 3 && speeds().filter((speed) => speed > 0).length > 3);
  });

  it('hold up the confirmation of a stop until they cannot arrive any more', async () => {
    const { proxy, stick, speeds, stop } = await heldUp();
    stick.drop();
    let confirmed = false;
    const stopping = stop().then(() => {
      confirmed = true;
    });
    await sleep(3_000);
    expect(confirmed).toBe(false);
    expect(proxy.connectionCount).toBe(JOG + 2);
    proxy.release();
    await until(() => speeds().some((speed) => speed > 0));
    await until(() => speeds().at(-1) === 0);
    await stopping;
  });
});
