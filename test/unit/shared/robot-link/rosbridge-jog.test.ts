import { describe, expect, it } from '@jest/globals';
import { arrivalStamp } from '../../../../functions/shared/control/fence.ts';
import type { JsonObject } from '../../../../functions/shared/kit/json.ts';
import type { Jog, RobotLink, Velocity } from '../../../../functions/shared/robot-link/port.ts';
import { refusal } from '../../../support/errors.ts';
import { until } from '../../../support/processes.ts';
import { openLink, scene, startStandIn } from '../../../support/rosbridge-link.ts';
import { closeAfterEach } from '../../../support/rosbridge-navigation.ts';
import { silentLogger } from '../../../support/world.ts';

closeAfterEach();

const CONFIRMED = '{ service: [{ name: /halt, success: $answer.ok }] }';
const mapping = (ros: 1 | 2, jog: string, stop = CONFIRMED) => {
  const [msg, action] = ros === 1 ? ['', ''] : ['msg/', 'action/'];
  return `
ros: ${ros}
stop: ${stop}
jog: { topic: /cmd_vel, type: geometry_msgs/${msg}${jog} }
commands:
  go_to_absolute: { title: Go, kind: none, action: { name: /nav, type: a/${action}Nav } }
  dock: { title: Dock, kind: none, action: { name: /dock, type: a/${action}Dock } }
  talk: { title: Talk, kind: none, motion: false, action: { name: /talk, type: a/${action}Talk } }
  roll: { title: Roll, kind: none, publish: { name: /roll, type: a/${msg}Roll, times: 100, every_ms: 20 } }
  turn: { title: Turn, kind: none, service: { name: /turn } }
`;
};
const PLAIN = 'Twist, watchdog_ms: 300, max_linear: 0.4';
const STAMPED = 'TwistStamped, watchdog_ms: 300, frame_id: base';
const AHEAD: Velocity = { vx: 0.2, vy: -0.1, wz: 0.5 };
const ZERO: Velocity = { vx: 0, vy: 0, wz: 0 };
const TWIST = { linear: { x: 0.2, y: -0.1, z: 0 }, angular: { x: 0, y: 0, z: 0.5 } };
const STILL = { linear: { x: 0, y: 0, z: 0 }, angular: { x: 0, y: 0, z: 0 } };

let seq = 0;
function frame(velocity: Velocity) {
  seq += 1;
  return { velocity, seq, validMs: 300, arrivedAt: arrivalStamp() };
}
const zero = () => ({ velocity: ZERO, seq: 0, validMs: 300 });
const jogOf = (link: RobotLink) => link.jog?.() as Jog; // as: the mapping has one
const soon = () => new AbortController().signal;

describe.each([1, 2] as const)('A robot with ROS %d that is driven by hand', (ros) => {
  it('gets each velocity as a Twist, on a connection of its own', async () => {
    const { link, standIn } = await scene(mapping(ros, PLAIN));
    const jog = jogOf(link);
    expect(jog).toMatchObject({ watchdogMs: 300, maxLinear: 0.4, maxAngular: undefined });
    jog.send(frame(AHEAD));
    await standIn.until(() => standIn.of('publish', '/cmd_vel').length === 1);
    expect(standIn.of('publish', '/cmd_vel')).toEqual([{ op: 'publish', topic: '/cmd_vel', msg: TWIST }]);
    expect(standIn.of('advertise', '/cmd_vel')).toHaveLength(2);
    // Over the connection of the stops, too, in case the other is held up.
    jog.send(zero());
    await standIn.until(() => standIn.of('publish', '/cmd_vel').length === 3);
    expect(standIn.of('publish', '/cmd_vel').slice(1)).toMatchObject([{ msg: STILL }, { msg: STILL }]);
  });

  it('gets a TwistStamped with frame and time where the mapping says so', async () => {
    const { standIn, link: other } = await scene(mapping(ros, STAMPED));
    await other.close();
    const link = await openLink(mapping(ros, STAMPED), standIn.url, { clock: () => 1_700_000_000_250 });
    jogOf(link).send(frame(AHEAD));
    await standIn.until(() => standIn.of('publish', '/cmd_vel').length === 1);
    const stamp = ros === 1 ? { secs: 1_700_000_000, nsecs: 250e6 } : { sec: 1_700_000_000, nanosec: 250e6 };
    expect(standIn.of('publish', '/cmd_vel')[0]?.msg).toEqual({ header: { stamp, frame_id: 'base' }, twist: TWIST });
  });

  it('gets no velocity that arrived before a stop, and every zero', async () => {
    const { link, standIn, stop } = await scene(mapping(ros, PLAIN));
    const early = frame(AHEAD);
    await stop();
    expect(() => jogOf(link).send(early)).toThrow(expect.objectContaining({ code: 'stopped' }));
    jogOf(link).send(frame(AHEAD));
    const unstamped = { velocity: AHEAD, seq: 1, validMs: 300 };
    expect(() => jogOf(link).send(unstamped)).toThrow(expect.objectContaining({ code: 'stopped' }));
    jogOf(link).send(zero());
    await standIn.until(() => standIn.of('publish', '/cmd_vel').length === 3);
    expect(standIn.of('publish', '/cmd_vel').at(-1)?.msg).toEqual(STILL);
  });

  it('gets no velocity while a stop could not be confirmed', async () => {
    const { link } = await scene(mapping(ros, PLAIN, '{ service: [{ name: /halt }] }'));
    expect(() => jogOf(link).send(frame(AHEAD))).toThrow(/line 3, stop/);
    expect(() => jogOf(link).send(zero())).not.toThrow();
  });

  it('gets nothing later that was sent while it was out of reach', async () => {
    const { link, standIn } = await scene(mapping(ros, PLAIN));
    const { port } = standIn;
    await standIn.close();
    await until(async () => !link.connected());
    const unreachable = expect.objectContaining({ code: 'robot_unavailable' });
    expect(() => jogOf(link).send(frame(AHEAD))).toThrow(unreachable);
    expect(() => jogOf(link).send(zero())).toThrow(unreachable);
    const back = await scene(mapping(ros, PLAIN), await startStandIn(port));
    await until(async () => link.connected() && back.link.connected());
    expect(back.standIn.of('publish', '/cmd_vel')).toEqual([]);
  });

  it('refuses velocities that are no numbers', async () => {
    const { link, standIn } = await scene(mapping(ros, PLAIN));
    expect(() => jogOf(link).send(frame({ ...AHEAD, wz: Number.NaN }))).toThrow();
    expect(standIn.of('publish', '/cmd_vel')).toEqual([]);
  });

  it('first ends every goal, repetition and call that moves it, and nothing else', async () => {
    const { link, standIn, send } = await scene(mapping(ros, PLAIN));
    const ended: string[] = [];
    standIn.onCancel = (goal) =>
      setTimeout(() => {
        ended.push(goal.action);
        goal.end('cancelled');
      }, 100);
    for (const command of ['go_to_absolute', 'dock', 'talk']) await send(command);
    const rolling = refusal(() => send('roll'));
    standIn.services.set('/turn', () => new Promise((resolve) => setTimeout(() => resolve(null), 300)));
    const turning = send('turn').then(() => ended.push('/turn'));
    await standIn.until(() => standIn.goals.length === 3 && standIn.of('publish', '/roll').length > 0);
    await jogOf(link).makeWay(soon());
    expect([...new Set(ended)].sort()).toEqual(['/dock', '/nav', '/turn']); // a cancel is repeated until it has worked
    expect((await rolling).code).toBe('busy');
    await turning;
  });

  it('need not wait when nothing moves it', async () => {
    const { link, standIn, send } = await scene(mapping(ros, PLAIN));
    await send('talk');
    await standIn.until(() => standIn.goals.length === 1);
    expect(jogOf(link).makeWay(soon())).toBeUndefined();
  });

  it('is busy when what moves it does not end within 2 s', async () => {
    const { link, standIn, send } = await scene(mapping(ros, PLAIN));
    standIn.onCancel = () => undefined;
    await send('dock');
    expect(await refusal(async () => jogOf(link).makeWay(soon()))).toMatchObject({
      code: 'busy',
      members: { command_ran: 'no' },
    });
    const aborted = AbortSignal.abort(new Error('hung up'));
    await expect(jogOf(link).makeWay(aborted)).rejects.toThrow('hung up');
  });

  it('stops while it is driven, and the stop is confirmed', async () => {
    const { link, standIn, stop } = await scene(mapping(ros, PLAIN));
    for (let count = 0; count < 20; count += 1) {
      jogOf(link).send(frame(AHEAD));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(await stop()).toMatchObject({ stopped: true });
    expect(standIn.of('publish', '/cmd_vel').at(-1)?.msg).toEqual(STILL);
    const looked = standIn.of('call_service').filter(({ service }) => String(service).startsWith('/robot_rest/'));
    expect(looked.length).toBeGreaterThanOrEqual(2);
  });
});

describe('A robot whose base has no watchdog of at most 500 ms', () => {
  it('cannot be driven by hand, which its operator is told', async () => {
    const warnings: JsonObject[] = [];
    const logger = {
      ...silentLogger,
      warn: (about: JsonObject) => warnings.push(about),
    } as unknown as typeof silentLogger; // as: only warnings are looked at
    const { standIn } = await scene(mapping(2, PLAIN));
    const link = await openLink(mapping(2, 'Twist, watchdog_ms: 600'), standIn.url, { logger });
    expect(link.jog?.()).toBeUndefined();
    expect(link.notes?.()).toEqual([expect.stringContaining('line 4, jog: the robot cannot be driven manually')]);
    expect(warnings).toContainEqual({ note: link.notes?.()[0] });
  });
});
