import { describe, expect, it } from '@jest/globals';
import type { Events } from '../../../../functions/shared/events/events.port.ts';
import { until } from '../../../support/processes.ts';
import { openLink, type Scene, scene, startStandIn } from '../../../support/rosbridge-link.ts';
import { closeAfterEach, HERE, mapping as navigation } from '../../../support/rosbridge-navigation.ts';

closeAfterEach();

const mapping = (ros: 1 | 2) => {
  const msg = ros === 1 ? '' : 'msg/';
  return `
ros: ${ros}
stop: { service: [{ name: /halt, success: $answer.ok }] }
state:
  - { topic: /odom, type: nav_msgs/${msg}Odometry, max_age_ms: 1000 }
  - { topic: /battery_state, type: sensor_msgs/${msg}BatteryState }
  - { topic: /base, type: a/${msg}Base, values: { moving: $message.moving, power: $message.power } }
joints: [{ topic: /joint_states, type: sensor_msgs/${msg}JointState, max_age_ms: 1000 }]
estop: { topic: /estop, type: std_msgs/${msg}Bool }
commands: {}
`;
};
const ODOMETRY = {
  pose: { pose: { position: { x: 1, y: 2, z: 0 }, orientation: { x: 0, y: 0, z: 0, w: 1 } } },
  twist: { twist: { linear: { x: 0.2, y: 0 }, angular: { z: 0 } } },
};
const POSE = { x: 1, y: 2, z: 0, theta: 0 };

async function subscribed(ros: 1 | 2): Promise<Scene> {
  const each = await scene(mapping(ros));
  await each.standIn.until(() => each.standIn.of('subscribe').length === 5);
  return each;
}

describe.each([1, 2] as const)('A robot with ROS %d', (ros) => {
  it('tells its state on several topics, each with its rate', async () => {
    const { link, standIn } = await subscribed(ros);
    expect(link.state?.()).toBeUndefined();
    standIn.publish('/battery_state', { percentage: 0.5, power_supply_status: 1 });
    standIn.publish('/odom', ODOMETRY);
    let state = link.state?.();
    await until(async () => {
      state = link.state?.();
      return state?.pose !== undefined;
    });
    expect(state).toEqual({
      pose: POSE,
      velocity: { linear: 0.2, angular: 0 },
      moving: true,
      battery: { level: 50, charging: true },
    });
    const rates = standIn.of('subscribe').map(({ topic, throttle_rate }) => [topic, throttle_rate]);
    expect(rates).toEqual(
      expect.arrayContaining([
        ['/odom', 50],
        ['/battery_state', 1_000],
        ['/joint_states', 0],
      ]),
    );
  });

  it('is not known to be where it was once a topic has been silent for too long', async () => {
    const { link, standIn } = await subscribed(ros);
    standIn.publish('/battery_state', { percentage: 0.5 });
    const telling = setInterval(() => {
      standIn.publish('/odom', ODOMETRY);
      standIn.publish('/joint_states', { name: ['a'], position: [1] });
    }, 10);
    await until(async () => link.joints?.() !== undefined && link.state?.()?.pose !== undefined);
    clearInterval(telling);
    await until(async () => link.joints?.() === undefined && link.state?.()?.pose === undefined);
    expect(link.state?.()).toEqual({ battery: { level: 50 } });
  });

  it('tells nothing while its link is down', async () => {
    const { link, standIn } = await subscribed(ros);
    standIn.publish('/battery_state', { percentage: 0.5 });
    await until(async () => link.state?.() !== undefined);
    await standIn.close();
    await until(async () => !link.connected());
    expect(link.state?.()).toBeUndefined();
  });

  it('has the joints of all publishers of one topic', async () => {
    const { link, standIn } = await subscribed(ros);
    standIn.publish('/joint_states', { name: ['left', 'right'], position: [1, 2] });
    standIn.publish('/joint_states', { name: ['head'], position: [0.5] });
    standIn.publish('/joint_states', { name: ['right', 'x'.repeat(301)], position: [3, 1] });
    await until(async () => link.joints?.()?.positions[1] === 3);
    expect(link.joints?.()).toEqual({ names: ['left', 'right', 'head'], positions: [1, 3, 0.5] });
  });

  it('has at most 1000 joints', async () => {
    const { link, standIn } = await subscribed(ros);
    const many = (from: number) => Array.from({ length: 700 }, (_, index) => from + index);
    for (const from of [0, 700]) {
      standIn.publish('/joint_states', { name: many(from).map(String), position: many(from) });
    }
    standIn.publish('/joint_states', { name: ['0'], position: [-1] });
    await until(async () => link.joints?.()?.positions[0] === -1);
    expect(link.joints?.()?.names).toHaveLength(1_000);
  });

  it('is not believed what does not fit, and its other messages are', async () => {
    const { link, standIn } = await subscribed(ros);
    for (const message of [{ moving: 'yes' }, { moving: true }, { moving: true, power: 'nuclear' }, null]) {
      standIn.publish('/base', message);
    }
    standIn.publish('/battery_state', { percentage: -3 });
    standIn.publish('/joint_states', { name: 'a', position: 1 });
    standIn.publish('/base', { moving: false, power: 'on' });
    await until(async () => link.state?.() !== undefined);
    expect(link.state?.()).toEqual({ moving: false, power: 'on' });
    expect(link.joints?.()).toBeUndefined();
  });

  it('reports its emergency stop, which is unknown after 2 s of silence', async () => {
    const { link, standIn } = await subscribed(ros);
    const stop = link.emergencyStop?.();
    const states: unknown[] = [stop?.state, stop?.source];
    stop?.onChange(() => states.push(stop.state));
    const press = async (data: unknown, state: string) => {
      standIn.publish('/estop', { data: data as boolean }); // as: what is no boolean is tried, too
      await until(async () => stop?.state === state);
    };
    await press(false, 'released');
    await press(true, 'engaged');
    await press('broken', 'unknown');
    await press(true, 'engaged');
    await until(async () => stop?.state === 'unknown');
    await until(async () => states.length === 7);
    expect(states).toEqual(['unknown', '/estop', 'released', 'engaged', 'unknown', 'engaged', 'unknown']);
  });

  it('has an emergency stop in an unknown state while its link is down', async () => {
    const { link, standIn } = await subscribed(ros);
    standIn.publish('/estop', { data: false });
    const stop = link.emergencyStop?.();
    await until(async () => stop?.state === 'released');
    await standIn.close();
    await until(async () => stop?.state === 'unknown');
  });

  it('without such topics has neither jog nor emergency stop', async () => {
    const { link } = await scene(navigation(ros));
    expect([link.state?.(), link.joints?.(), link.jog?.(), link.emergencyStop?.()]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('tells of missions that start, finish, fail and are cancelled', async () => {
    const standIn = await startStandIn();
    standIn.publish('/odom', { twist: { linear: { x: 0 } } });
    const told: unknown[] = [];
    const events: Events = {
      publish: (topic, verb, data, options) => told.push([topic, verb, data, options?.subject]),
    };
    const link = await openLink(navigation(ros), standIn.url, { events });
    const sender = { clientId: 'alice-of-the-console', accessLevel: 'USER', keyId: 'key-1' } as const;
    const options = () => ({ deadline: Date.now() + 60_000, signal: new AbortController().signal });
    await until(async () => link.connected());
    for (const how of ['succeeded', 'aborted', 'cancelled'] as const) {
      const before = told.length;
      await link.send({ command: 'go', value: HERE, sender }, options());
      await until(async () => told.length === before + 1);
      standIn.goals.at(-1)?.end(how);
      await until(async () => told.length === before + 2);
    }
    const [done, failed, cancelled] = standIn.goals.map(({ id }) => id);
    const data = (id: string | undefined, more = {}) => ({ id, skills: ['go'], client: 'alice-of', ...more });
    expect(told).toEqual([
      ['missions', 'started', data(done), done],
      ['missions', 'finished', data(done), done],
      ['missions', 'started', data(failed), failed],
      ['missions', 'failed', data(failed, { message: expect.any(String) }), failed],
      ['missions', 'started', data(cancelled), cancelled],
      ['missions', 'cancelled', data(cancelled, { message: 'Mission cancelled' }), cancelled],
    ]);
  });
});
