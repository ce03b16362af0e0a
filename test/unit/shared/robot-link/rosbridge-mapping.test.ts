import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../../../functions/shared/config.ts';
import { Fence } from '../../../../functions/shared/control/fence.ts';
import { NO_METRICS } from '../../../../functions/shared/observability/metrics.port.ts';
import { openRobotLink } from '../../../../functions/shared/robot-link/adapters/open.ts';
import { parseMapping } from '../../../../functions/shared/robot-link/adapters/rosbridge/mapping.ts';
import { faultOf } from '../../../support/rosbridge-mappings.ts';
import { ROOT } from '../../../support/sources.ts';
import { silentLogger, temporaryFolder, testConfig } from '../../../support/world.ts';

const HEAD = 'ros: 2\nstop:\n  cancel: [/go]\ncommands:\n';

describe('The mapping of a rosbridge robot', () => {
  it.each(['nav2', 'turtlebot'])('accepts the example %s.yaml', (name) => {
    const mapping = parseMapping(readFileSync(join(ROOT, 'examples', 'rosbridge', `${name}.yaml`), 'utf8'));
    for (const command of ['go_to_absolute', 'go_to_relative', 'get_pose', 'get_battery_level']) {
      expect([...mapping.commands.keys()]).toContain(command);
    }
    expect(mapping.stop.publish.map(({ name: topic, times }) => [topic, times])).toEqual([['/cmd_vel', 5]]);
  });

  it('names the line of a stop that nothing confirms', () => {
    const unconfirmed = (stop: string) => parseMapping(`ros: 2\nstop:\n  ${stop}\ncommands: {}\n`).unconfirmedStop;
    expect(unconfirmed('service: [{ name: /halt }]')).toBe('line 2, stop');
    expect(unconfirmed('service: [{ name: /halt, success: $answer.ok }]')).toBeUndefined();
    expect(
      unconfirmed('cancel: [/nav]\n  still: { name: /odom, type: nav_msgs/msg/Odometry, zero: [x] }'),
    ).toBeUndefined();
  });

  it('marks every action of the examples as motion or not', () => {
    const motions = (name: string) => {
      const { commands } = parseMapping(readFileSync(join(ROOT, 'examples', 'rosbridge', `${name}.yaml`), 'utf8'));
      const actions = [...commands.values()].filter(({ spec }) => spec.effect === 'action');
      return Object.fromEntries(actions.map(({ spec }) => [spec.name, spec.motion]));
    };
    const cancels = { cancel_skill: false, cancel_and_wait_for_mission: false, cancel_client_missions: false };
    const goals = { go_to_absolute: true, go_to_relative: true };
    expect(motions('nav2')).toEqual({ ...goals, ...cancels, set_robot_max_velocity: true, clear_costmap: false });
    expect(motions('turtlebot')).toEqual({
      ...goals,
      ...cancels,
      go_to_absolute_and_wait: true,
      set_motor_power: true,
      play_sound: false,
      reset_odometry: false,
    });
  });

  const member = (kind: string, line: string) =>
    `${HEAD}  a:\n    title: A\n    kind: ${kind}\n    ${line}\n    mission: wait\n`;
  const bounded = (kind: string, bounds: string) => member(kind, `bounds: ${bounds}`);
  const call = (args: string, kind = 'none') =>
    `${HEAD}  beep:\n    title: Beep\n    kind: ${kind}\n    service:\n      name: /beep\n      args: ${args}\n`;

  it.each([
    ['text that is no YAML', `${HEAD}  a: [1\n`, /^line 6/],
    ['a command called stop', call('{}').replace('beep:', 'stop:'), /line 5, commands\.stop: .*POST \/api\/v2\/stop/],
    ['a key twice', 'ros: 2\nros: 1\n', /line 2.*duplicated/],
    ['a mapping without a way to stop', 'ros: 2\nstop: {}\ncommands: {}\n', /line 2, stop: it needs at least one/],
    ['a generation of ROS that does not exist', HEAD.replace('2', '3'), /line 1, ros: 1 or 2/],
    [
      'an unknown key',
      `${HEAD}  a:\n    title: A\n    kind: none\n    sevrice: {}\n`,
      /line 8, commands.a.sevrice: this key/,
    ],
    [
      'a command that is nothing',
      `${HEAD}  a:\n    title: A\n    kind: none\n`,
      /line 5, commands.a: it needs exactly one/,
    ],
    [
      'a kind that does not exist',
      `${HEAD}  a:\n    title: A\n    kind: text\n    mission: wait\n`,
      /line 7, commands.a.kind/,
    ],
    ['a name that is none', call('{}').replace('/beep', '"/b eep"'), /line 9, commands.beep.service.name: a ROS name/],
    [
      'a value where there is none',
      call('{ n: $value }'),
      /line 10, commands.beep.service.args.n: \$value is not known/,
    ],
    ['an axis of what has none', call('{ n: $x }', 'int'), /\$x is not known here; \$value is/],
    ['a part of a number', call('{ n: $value.a }', 'int'), /\$value is a number and has no part a/],
    [
      'a filter that does not exist',
      call('{ n: $value|eval }', 'int'),
      /there is no filter "eval"; there are number, /,
    ],
    ['an angle that is a string', call('{ n: $value|radians }', 'str'), /takes a number, not a string/],
    ['what looks like a program', call('{ n: "$(rm -rf /)" }', 'str'), /is no reference/],
    [
      'the place in a list',
      call('\n        list:\n          - 1\n          - $nothing'),
      /line 13, commands.beep.service.args.list.1/,
    ],
    ['an argument list that is none', call('5'), /line 10, commands.beep.service.args: this has to be an object/],
    [
      'bounds of a text',
      `${HEAD}  a:\n    title: A\n    kind: str\n    bounds: { minimum: 1, maximum: 2 }\n    mission: wait\n`,
      /line 8, commands.a.bounds: only/,
    ],
    ['a text in place of a mapping', 'just words', /^line 1: /],
    ['bounds the wrong way round', bounded('int', '{ minimum: 2, maximum: 1 }'), /a\.bounds: minimum exceeds maximum/],
    ['a unit of a text', member('str', 'unit: m'), /line 8, commands\.a\.unit: only/],
    ['items of what is no list', member('str', 'items: str'), /line 8, commands\.a\.items: only/],
    [
      'a text that is relative',
      member('str', 'relative_to: { name: /odom, type: a/msg/B, pose: pose }'),
      /line 8, commands\.a\.relative_to: only/,
    ],
    [
      'a success that is no truth',
      `${HEAD}  a:\n    title: A\n    kind: int\n    service:\n      name: /a\n      success: $value\n`,
      /line 10, commands\.a\.service\.success: this has to be a boolean/,
    ],
    ['a heading as a text', call('{ n: $value.theta|string }', 'coordinates'), /takes a string, not a number/],
    [
      'what came through an alias, with the line of the alias',
      `${HEAD}  a: { title: A, kind: none, service: { name: /a, args: &args { n: $nothing } } }\n  b:\n    title: B\n    kind: none\n    service:\n      name: /b\n      args: *args\n`,
      /line 5, commands\.a\.service\.args\.n: .*; line 11, commands\.b\.service\.args\.n/,
    ],
    ['a key that is a list', `${HEAD}  ? [a, b]\n  : { title: A, kind: none, mission: cancel_mine }\n`, /^line \d/],
    [
      'a mission that is asked for by no id',
      `${HEAD}  a: { title: A, kind: int, mission: wait }\n`,
      /"mission: wait" is of kind str/,
    ],
    [
      'types of ROS 1 on ROS 2',
      `${HEAD}  a:\n    title: A\n    kind: none\n    publish:\n      name: /a\n      type: std_msgs/Empty\n`,
      /line 10, commands\.a\.publish\.type: a type of ROS 2 is written std_msgs\/msg\/Empty here/,
    ],
    [
      'the type of a message for an action',
      `${HEAD}  a: { title: A, kind: none, action: { name: /a, type: a/msg/Go } }\n`,
      /commands\.a\.action\.type: .* a\/action\/Go here/,
    ],
    [
      'types of ROS 2 on ROS 1',
      `ros: 1\nstop:\n  still: { name: /odom, type: nav_msgs/msg/Odometry, zero: [x] }\n  service: [{ name: /halt, type: std_srvs/srv/Trigger }]\ncommands: {}\n`,
      /line 4, stop\.service\.0\.type: a type of ROS 1 has no middle part: std_srvs\/Trigger; line 3, stop\.still\.type: .*: nav_msgs\/Odometry/,
    ],
  ])('refuses %s, with line and key', (_what, text, message) => {
    expect(faultOf(text)).toMatch(message);
  });

  it('prevents startup when broken, naming the file', async () => {
    const path = join(temporaryFolder(), 'rosbridge.yaml');
    writeFileSync(path, 'ros: 7\n');
    const config = testConfig({ SERVICE_ROBOT_URL: 'ws://127.0.0.1:1', SERVICE_ROBOT_MAPPING_PATH: path });
    const opening = openRobotLink(config, {
      logger: silentLogger,
      clock: Date.now,
      metrics: NO_METRICS,
      openFence: async () => new Fence(),
    });
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow(`SERVICE_ROBOT_MAPPING_PATH: ${path}: line 1, ros: 1 or 2`);
  });

  it('refuses an address with parts that no server receives', async () => {
    const config = testConfig({ SERVICE_ROBOT_URL: 'ws://127.0.0.1:1/#arm' });
    const opening = openRobotLink(config, {
      logger: silentLogger,
      clock: Date.now,
      metrics: NO_METRICS,
      openFence: async () => new Fence(),
    });
    await expect(opening).rejects.toThrow('SERVICE_ROBOT_URL: it should look like "ws://robot.local:9090"');
  });

  it('names a missing mapping', async () => {
    const config = testConfig({ SERVICE_ROBOT_URL: 'wss://user:secret@127.0.0.1:1' });
    const opening = openRobotLink(config, {
      logger: silentLogger,
      clock: Date.now,
      metrics: NO_METRICS,
      openFence: async () => new Fence(),
    });
    await expect(opening).rejects.toThrow(/rosbridge\.yaml: the file does not exist\. examples\/rosbridge/);
  });
});
