import { describe, expect, it } from '@jest/globals';
import { parseMapping } from '../../../../functions/shared/robot-link/adapters/rosbridge/mapping.ts';
import { faultOf } from '../../../support/rosbridge-mappings.ts';

const HEAD = 'ros: 2\nstop: { service: [{ name: /halt, success: $answer.ok }] }\ncommands: {}\n';

const stateOf = (entry: string) => parseMapping(`${HEAD}state:\n  - ${entry}\n`).reports.state[0];
const ODOMETRY = stateOf('{ topic: /odom, type: nav_msgs/msg/Odometry }');
const odometry = (linear: object, z = 0) => ({
  pose: { pose: { position: { x: 1, y: 2, z: 0 }, orientation: { x: 0, y: 0, z: 1, w: 0 } } },
  twist: { twist: { linear: { y: 0, ...linear }, angular: { z } } },
});

describe('An Odometry', () => {
  it('tells pose and velocity in metres and degrees', () => {
    expect(ODOMETRY?.read(odometry({ x: 0.3, y: 0.4 }, Math.PI / 2))).toEqual({
      pose: { x: 1, y: 2, z: 0, theta: expect.closeTo(-180) },
      velocity: { linear: expect.closeTo(0.5), angular: expect.closeTo(90) },
      moving: true,
    });
  });

  it('tells of a drive backwards with a negative velocity, and of noise as standstill', () => {
    expect(ODOMETRY?.read(odometry({ x: -0.3 }))).toMatchObject({ velocity: { linear: -0.3 }, moving: true });
    expect(ODOMETRY?.read(odometry({ x: 0.005 }, -0.005))).toMatchObject({ moving: false });
    const noisy = HEAD.replace('] }', '], still: { name: /odom, type: a/msg/B, zero: [x], tolerance: 0.05 } }');
    const [topic] = parseMapping(`${noisy}state: [{ topic: /odom, type: nav_msgs/msg/Odometry }]\n`).reports.state;
    expect(topic?.read(odometry({ x: 0.04 }))).toMatchObject({ moving: false });
  });

  it.each([null, 1, {}, { pose: { pose: { position: 1 } } }, { twist: { twist: { linear: { x: 'fast' } } } }])(
    'of another form (%j) tells nothing',
    (message) => {
      expect(ODOMETRY?.read(message)).toEqual({});
    },
  );
});

describe('A BatteryState', () => {
  const battery = () => stateOf('{ topic: /battery, type: sensor_msgs/msg/BatteryState }');

  it.each([
    [
      { percentage: 0.87, power_supply_status: 1 },
      { level: 87, charging: true },
    ],
    [
      { percentage: 0.87, power_supply_status: 2 },
      { level: 87, charging: false },
    ],
    [{ percentage: 0.87, power_supply_status: 0 }, { level: 87 }],
    [
      { percentage: 1.02, power_supply_status: 4 },
      { level: 100, charging: false },
    ],
    [{ percentage: 64 }, { level: 64 }],
  ])('of %j tells %j', (message, expected) => {
    expect(battery()?.read(message)).toEqual({ battery: expected });
  });

  it('that was not measured tells nothing', () => {
    expect(battery()?.read({ percentage: null, power_supply_status: 1 })).toEqual({});
  });

  it('of a driver that gives percent stays in percent down to an empty battery', () => {
    const topic = battery();
    topic?.read({ percentage: 12 });
    expect(topic?.read({ percentage: 0.9 })).toEqual({ battery: { level: 0.9 } });
  });
});

describe('The reports of a mapping', () => {
  it('make members of the state from messages of any type', () => {
    const topic = stateOf(
      '{ topic: /base, type: a/msg/Base, values: { battery: { level: $message.soc }, moving: $message.idle|not } }',
    );
    expect(topic?.read({ soc: 3, idle: false })).toEqual({ battery: { level: 3 }, moving: true });
  });

  it('pair names and positions of joints and leave out what is no number', () => {
    const read = (entry: string, message: object) =>
      parseMapping(`${HEAD}joints: [${entry}]\n`).reports.joints[0]?.read(JSON.parse(JSON.stringify(message)));
    const known = '{ topic: /joint_states, type: sensor_msgs/msg/JointState }';
    expect(read(known, { name: ['a', 'b', 'c', 'd'], position: [1, null, 0.5] })).toEqual({
      names: ['a', 'c'],
      positions: [1, 0.5],
    });
    expect(read(known, { name: ['a'], position: [], velocity: [1] })).toEqual({ names: [], positions: [] });
    const own = '{ topic: /arm, type: a/msg/Arm, values: { names: [arm], positions: [$message.angle|radians] } }';
    expect(read(own, { angle: 180 })).toEqual({ names: ['arm'], positions: [Math.PI] });
  });

  it('allow a jog only with a watchdog of at most 500 ms', () => {
    const jogOf = (more: string) =>
      parseMapping(`${HEAD}jog: { topic: /cmd_vel, type: geometry_msgs/msg/Twist${more} }`);
    expect(jogOf(', watchdog_ms: 500').reports.jog).toMatchObject({ watchdog_ms: 500 });
    expect(jogOf(', watchdog_ms: 500').unguardedJog).toBeUndefined();
    for (const more of ['', ', watchdog_ms: 501']) {
      expect(jogOf(more)).toMatchObject({ unguardedJog: 'line 4, jog' });
      expect(jogOf(more).reports.jog).toBeUndefined();
    }
  });

  it.each([
    ['state: [{ topic: /a, type: a/msg/B }]', /line 4, state\.0\.type: `values` is needed: only nav_msgs\/Odometry/],
    ['state: [{ topic: /a, type: nav_msgs/Odometry }]', /state\.0\.type: a type of ROS 2 is written/],
    ['state: [{ topic: /a, type: a/msg/B, values: { driver: x } }]', /state\.0\.values\.driver: this key is not known/],
    [
      'state: [{ topic: /a, type: a/msg/B, values: { moving: $answer.x } }]',
      /\$answer is not known here; \$message is/,
    ],
    ['state: [{ topic: /a, type: a/msg/B, values: { moving: $message.x|number } }]', /this has to be a boolean/],
    ['joints: [{ topic: /a, type: a/msg/B }]', /joints\.0\.type: `values` is needed/],
    ['joints: [{ topic: /a, type: a/msg/B, values: { names: [a] } }]', /joints\.0\.values\.positions/],
    ['estop: { topic: /a, type: a/msg/B }', /line 4, estop\.type: `engaged` is needed/],
    [
      'estop: { topic: /a, type: std_msgs/msg/Bool, engaged: $message.data|string }',
      /estop\.engaged: this has to be a b/,
    ],
    ['jog: { topic: /a, type: a/msg/B }', /line 4, jog\.type: velocities are geometry_msgs\/Twist or/],
    ['jog: { topic: /a, type: geometry_msgs/msg/Twist, frame_id: b }', /jog\.frame_id: only a TwistStamped/],
    ['jog: { topic: /a, type: geometry_msgs/Twist }', /jog\.type: a type of ROS 2 is written/],
    ['jog: { topic: /a, type: geometry_msgs/msg/Twist, max_linear: 0 }', /jog\.max_linear/],
  ])('refuse %s, with line and key', (text, message) => {
    expect(faultOf(HEAD + text)).toMatch(message);
  });
});
