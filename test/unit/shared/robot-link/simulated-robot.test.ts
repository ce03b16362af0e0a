import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '../../../../functions/shared/kit/json.ts';
import { batteryAfter } from '../../../../functions/shared/robot-link/adapters/simulated/robot-state.ts';
import { argsSchema } from '../../../../functions/shared/robot-link/command-args.ts';
import { asClient, handClock, openSimulatedRobot } from '../../../support/robot.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

/** The commands of the robot, as its clients know them. */
const COMMANDS = {
  none: `get_language get_character_name is_sleeping is_seeing_human is_seeing_handle is_making_noise get_skills
    get_all_runes_details get_clicked_runes get_double_clicked_runes get_long_pressed_runes get_detected_runes
    list_all_location_ids get_publishers exit_arms_collision cancel_client_missions pddl_domain pddl_problem
    autonomous_planning_output get_pose get_battery_level`,
  str: `is_detected is_seeing is_clicked is_double_clicked is_long_pressed get_rune_rssi get_rune_angle_of_arrival
    set_language wait_for_skill wait_for_skill_started cancel_skill cancel_and_wait_for_mission`,
  int: 'sound_level',
  float: 'set_robot_max_velocity',
  bool: 'set_obstacle_avoidance set_actions_by_voice',
  dict: 'skill rune_association',
  list: 'play_sequence',
  coordinates: 'go_to_relative go_to_absolute',
};

const MOVING = `go_to_absolute go_to_relative set_robot_max_velocity set_obstacle_avoidance exit_arms_collision skill
    play_sequence`;

function world() {
  const clock = handClock(0);
  const robot = openSimulatedRobot(clock.now);
  return { clock, robot, send: asClient(robot, 'alice') };
}

const UNASSOCIATED = { associated: false, msg: 'An association needs a rune and a command, both strings' };

describe('The simulated robot', () => {
  it('knows exactly the commands of its clients', () => {
    const expected = Object.entries(COMMANDS).flatMap(([kind, names]) =>
      names.split(/\s+/).map((name) => [name, kind]),
    );
    const catalogue = [...world().robot.catalogue()].map(([name, spec]) => [name, spec.kind]);
    expect(catalogue.sort()).toEqual(expected.sort());
  });

  it('marks every command as motion or not, and has no link to lose', () => {
    const { robot } = world();
    const marks = [...robot.catalogue().values()].map(({ name, motion }) => [name, motion]);
    const moving = marks.filter(([, motion]) => motion === true).map(([name]) => name);
    expect(moving.sort()).toEqual(MOVING.split(/\s+/).sort());
    expect(marks.filter(([, motion]) => motion === undefined)).toEqual([]);
    expect(robot.notes).toBeUndefined();
  });

  it('bounds percentages and marks waiting commands', () => {
    const specs = [...world().robot.catalogue().values()];
    expect(specs.filter(({ bounds }) => bounds).map(({ name, bounds, unit }) => [name, bounds, unit])).toEqual([
      ['set_robot_max_velocity', { minimum: 0, maximum: 100 }, '%'],
      ['sound_level', { minimum: 0, maximum: 100 }, '%'],
    ]);
    expect(specs.filter(({ waits }) => waits).map(({ name }) => name)).toEqual([
      'wait_for_skill',
      'wait_for_skill_started',
      'cancel_and_wait_for_mission',
    ]);
  });

  it('answers every query at once with JSON', () => {
    const { robot, send } = world();
    for (const { name, kind, effect, waits } of robot.catalogue().values()) {
      if (effect === 'action' || waits) continue;
      const answer = send(name, kind === 'none' ? undefined : 'rune-1');
      expect(answer).not.toBeInstanceOf(Promise);
      expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
    }
  });

  it('reports its pose while moving', () => {
    const { clock, send } = world();
    send('set_robot_max_velocity', 100);
    expect(send('go_to_absolute', { x: 3, y: 4, z: 0, theta: 0 })).toEqual({
      called: true,
      msg: expect.stringMatching(/^[0-9a-f-]{36}$/),
      accepted: true,
      arrives_in_seconds: 5,
    });
    clock.advance(1_000);
    expect(send('get_pose')).toEqual({ x: expect.closeTo(0.6), y: expect.closeTo(0.8), z: 0, theta: 0, moving: true });
    expect(send('go_to_relative', { x: 1e300, y: 0, z: 0, theta: 0 })).toEqual({
      called: false,
      msg: expect.stringContaining('off the floor'),
      accepted: false,
    });
    expect(send('get_pose')).toMatchObject({ moving: true });
  });

  it('stands still after stop', () => {
    const { clock, robot, send } = world();
    send('go_to_relative', { x: 10, y: 0, z: 0, theta: 0 });
    clock.advance(2_000);
    robot.stop({ deadline: 0, signal: new AbortController().signal });
    const pose = send('get_pose');
    expect(pose).toMatchObject({ x: 1, moving: false });
    clock.advance(60_000);
    expect(send('get_pose')).toEqual(pose);
  });

  it('drains its battery, sleeps while it charges, and is full again', () => {
    const { clock, send } = world();
    expect([send('get_battery_level'), send('is_sleeping')]).toEqual([100, false]);
    clock.advance(4 * HOUR);
    expect([send('get_battery_level'), send('is_sleeping')]).toEqual([57.5, false]);
    clock.advance(5 * HOUR);
    expect([send('get_battery_level'), send('is_sleeping')]).toEqual([57.5, true]);
    clock.advance(HOUR);
    expect(send('get_battery_level')).toBe(100);
    expect(batteryAfter(-HOUR)).toEqual({ level: 100, charging: false });
  });

  it('detects runes around it, changing as it moves', () => {
    const { clock, send } = world();
    expect(send('get_detected_runes')).toEqual(['rune-1', 'rune-2', 'rune-3']);
    expect([send('is_detected', 'rune-1'), send('is_detected', 'rune-4')]).toEqual([true, false]);
    expect([send('get_rune_rssi', 'rune-1'), send('get_rune_angle_of_arrival', 'rune-1')]).toEqual([-45, 90]);
    expect([send('get_rune_rssi', 'rune-4'), send('get_rune_angle_of_arrival', 'nobody')]).toEqual([null, null]);
    send('go_to_absolute', { x: 30, y: 29, z: 0, theta: 90 });
    clock.advance(10 * MINUTE);
    expect(send('get_detected_runes')).toEqual(['rune-4']);
    expect([send('get_rune_rssi', 'rune-4'), send('get_rune_angle_of_arrival', 'rune-4')]).toEqual([-45, 0]);
    expect([send('is_seeing', 'rune-4'), send('is_seeing', 'rune-1')]).toEqual([true, false]);
  });

  it.each([
    [0, 'clicked'],
    [1, 'double_clicked'],
    [2, 'long_pressed'],
  ])('reports in minute %d that runes are %s', (minute, press) => {
    const { clock, send } = world();
    clock.advance(minute * MINUTE + 16_000);
    for (const other of ['clicked', 'double_clicked', 'long_pressed']) {
      expect(send(`get_${other}_runes`)).toEqual(other === press ? ['rune-2'] : []);
      expect(send(`is_${other}`, 'rune-2')).toBe(other === press);
    }
    clock.advance(10_000);
    expect(send(`get_${press}_runes`)).toEqual([]);
  });

  it('detects people and a nearby door handle', () => {
    const { clock, send } = world();
    expect([send('is_seeing_human'), send('is_seeing', 'human')]).toEqual([true, true]);
    expect([send('is_seeing_handle'), send('is_seeing', 'handle')]).toEqual([false, false]);
    send('go_to_absolute', { x: 4, y: -1, z: 0, theta: 0 });
    clock.advance(30_000);
    expect([send('is_seeing_human'), send('is_seeing_handle'), send('is_seeing', 'handle')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it.each<[string, JsonValue, JsonValue]>([
    ['sound_level', 30, { sound_level: 30 }],
    ['set_robot_max_velocity', 12.5, { max_velocity: 12.5 }],
    ['set_obstacle_avoidance', false, { obstacle_avoidance: false }],
    ['set_actions_by_voice', true, { actions_by_voice: true }],
    ['set_language', 'fr', { set: true, msg: 'The robot speaks fr' }],
    ['set_language', 'tlh', { set: false, msg: expect.stringContaining('en') as unknown as string }], // as: a matcher
    ['rune_association', { rune: 'rune-1', command: 'wave' }, { associated: true, msg: 'Rune associated' }],
    ['rune_association', { rune: 5, command: 'wave' }, UNASSOCIATED],
    ['rune_association', { rune: 'rune-1' }, UNASSOCIATED],
    ['rune_association', { rune: 'rune-1', command: 'x'.repeat(129) }, UNASSOCIATED],
    ['rune_association', { rune: 'rune-9', command: 'wave' }, { associated: false, msg: 'Rune not found' }],
  ])('takes %s %j', (command, value, answer) => {
    expect(world().send(command, value)).toEqual(answer);
  });

  it('does not know missing runes and reports no arm collision', () => {
    const { send } = world();
    expect([send('get_rune_rssi', 'nobody'), send('get_rune_angle_of_arrival', 'nobody')]).toEqual([null, null]);
    expect(send('exit_arms_collision')).toEqual({ exited: true, msg: 'No arms collide' });
  });

  it('declines a drive while its maximum velocity is 0', () => {
    const { send } = world();
    send('set_robot_max_velocity', 0);
    expect(send('go_to_relative', { x: 1, y: 0, z: 0, theta: 0 })).toEqual({
      called: false,
      msg: expect.stringContaining('set_robot_max_velocity'),
      accepted: false,
    });
  });

  it('answers every command as its catalogue entry documents, with examples that fit', async () => {
    const { robot, clock, send } = world();
    for (const { name, kind, args, result, examples = [] } of robot.catalogue().values()) {
      expect([name, examples.length > 0, result]).toEqual([name, true, expect.any(Object)]);
      const schema = argsSchema(result ?? {});
      for (const { value, result: answer } of examples) {
        expect([name, schema.safeParse(answer).error]).toEqual([name, undefined]);
        expect([name, value === undefined]).toEqual([name, kind === 'none']);
        if (args) expect(argsSchema(args).safeParse(value).error).toBeUndefined();
        const given = kind === 'coordinates' ? { x: 0, y: 0, z: 0, theta: 0, ...(value as JsonObject) } : value; // as: of that kind
        expect([name, schema.safeParse(await send(name, given)).error]).toEqual([name, undefined]);
      }
      clock.advance(1);
    }
  });

  it('keeps its language and its rune associations', () => {
    const { send } = world();
    send('set_language', 'de');
    send('rune_association', { rune: 'rune-3', command: 'dance' });
    expect(send('get_language')).toBe('de');
    const details = send('get_all_runes_details') as { id: string; command: string | null }[]; // as: what it answers
    expect(details.map(({ id, command }) => [id, command])).toContainEqual(['rune-3', 'dance']);
  });

  it('does not start a command after its deadline', () => {
    const { clock, robot, send } = world();
    const sender = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
    const late = { deadline: clock.now(), signal: new AbortController().signal };
    expect(() => robot.send({ command: 'sound_level', value: 1, sender }, late)).toThrow(
      expect.objectContaining({ code: 'robot_timeout' }),
    );
    expect(() => send('fly')).toThrow(expect.objectContaining({ code: 'robot_error' }));
  });
});
