import { performance } from 'node:perf_hooks';
import { describe, expect, it } from '@jest/globals';
import type { CommandSpec } from '../../../../functions/shared/robot-link/catalogue.schema.ts';
import { Bench } from '../../../../local-host/cli/link-check/bench.ts';
import { introduction } from '../../../../local-host/cli/link-check/introduction.ts';
import { chooseMotion } from '../../../../local-host/cli/link-check/motion.ts';
import { Movement } from '../../../../local-host/cli/link-check/movement.ts';
import { outcomeLines, summaryOf } from '../../../../local-host/cli/link-check/report.ts';
import type { RobotCaller } from '../../../../local-host/cli/link-check/robot-caller.ts';

const spec = (name: string, more: Partial<CommandSpec> = {}): CommandSpec => ({
  ...{ name, kind: 'none', title: name, effect: 'action', motion: true },
  ...more,
});
const catalogue = (...specs: CommandSpec[]) => new Map(specs.map((each) => [each.name, each] as const));

describe('The motion that a check of a link uses', () => {
  it('is a drive where there is one, and otherwise what the catalogue shows how to call', () => {
    const dock = spec('dock', { replaces: true, on_lapse: 'finish' });
    const turn = spec('turn', { kind: 'dict', examples: [{ value: { yaw: 30 } }] });
    const drive = spec('go_to_relative', { kind: 'coordinates' });
    const unknown = spec('reach', { kind: 'dict' });
    expect(chooseMotion(catalogue(dock, turn, drive), undefined)).toMatchObject({ command: 'go_to_relative' });
    expect(chooseMotion(catalogue(unknown, turn), undefined)).toMatchObject({ command: 'turn', value: { yaw: 30 } });
    expect(chooseMotion(catalogue(unknown), undefined)).toBeUndefined();
  });

  it('is never one that the robot marks as no motion', () => {
    expect(chooseMotion(catalogue(spec('say', { motion: false })), undefined)).toBeUndefined();
  });

  it('may be named, with its value', () => {
    const drive = spec('go_to_relative', { kind: 'coordinates' });
    const motion = chooseMotion(catalogue(drive), 'go_to_relative={"x":0.2}');
    expect(motion).toMatchObject({ value: { x: 0.2, y: 0, z: 0, theta: 0 }, replaces: true });
    expect(() => chooseMotion(catalogue(drive), 'go_to_relative={')).toThrow(/must be JSON/);
    expect(() => chooseMotion(catalogue(drive), 'fly')).toThrow(/no command "fly"/);
  });

  it('has a value that the robot has to accept', () => {
    const drive = spec('drive', { kind: 'float', bounds: { minimum: -0.5, maximum: 0.5 } });
    const roll = spec('roll', { kind: 'dict', args: { type: 'object', properties: { turns: { type: 'integer' } } } });
    const turn = spec('turn', {
      kind: 'dict',
      args: { type: 'object', properties: { yaw: { type: 'number' } }, required: ['yaw'] },
    });
    const all = catalogue(drive, roll, turn);
    expect(chooseMotion(all, 'roll')).toMatchObject({ command: 'roll', value: {} });
    expect(chooseMotion(all, 'drive=0.2')).toMatchObject({ value: 0.2 });
    for (const wish of ['drive', 'drive=2', 'drive="fast"', 'turn', 'roll={"turns":"x"}'])
      expect(() => chooseMotion(all, wish)).toThrow(/^--move (drive|roll|turn): .*Name its value/);
  });
});

describe('What a check says before it begins', () => {
  const motion = { command: 'turn', value: { yaw: 30 }, replaces: false, finishes: false };

  it.each([
    ['it is not moved without --yes', { yes: false, motion: undefined, byHand: true }, /stopped and not moved\.$/],
    ['there is nothing to move it by', { yes: true, motion: undefined, byHand: false }, /stopped and not moved\./],
    ['it is moved and driven', { yes: true, motion, byHand: true }, /moved by turn with {"yaw":30}.*driven by hand/],
  ])('is that %s', (_what, movements, expected) => {
    expect(introduction('rosbridge.yaml', movements)).toMatch(expected);
  });

  it('is that it is driven by hand, also where no other motion can be used', () => {
    const said = introduction('rosbridge.yaml', { yes: true, motion: undefined, byHand: true });
    expect(said).toMatch(/driven by hand at 0\.1 m\/s.*name one with --move/);
    expect(said).not.toMatch(/not moved/);
  });
});

describe('The movement that a robot reports', () => {
  it.each([
    ['says so', [{ moving: true }], true],
    ['is in its velocity', [{ velocity: { linear: 0.2, angular: 0 } }], true],
    ['is in its pose', [{ pose: { x: 1 } }, { pose: { x: 1.1 } }], true],
    ['is in a frame of it', [{ pose: { head: { yaw: 1 } } }, { pose: { head: { yaw: 2 } } }], true],
    ['is not what sensors tremble', [{ pose: { x: 1 } }, { pose: { x: 1.001 } }], false],
    ['is not its battery', [{ battery: { level: 80 } }, { battery: { level: 79 } }], false],
  ])('%s', (_what, states, moved) => {
    const movement = new Movement();
    for (const [at, state] of states.entries()) movement.take('state', state, at);
    expect(movement.seen(0)).toBe(moved);
    expect(movement.reported(0)).toBe(true);
    expect(movement.reported(10)).toBe(false);
  });

  it('counts within its time only', () => {
    const movement = new Movement();
    movement.take('joints', { names: ['a'], positions: [0] }, 1);
    movement.take('joints', { names: ['a'], positions: [1] }, 2);
    movement.take('joints', { names: ['a'], positions: [1] }, 3);
    expect([movement.seen(1), movement.seen(2), movement.seen(1, 1)]).toEqual([true, false, false]);
  });
});

describe('A robot that is watched while it comes to rest', () => {
  const benchOf = (movement: Movement) =>
    new Bench({ caller: { movement } as RobotCaller, motion: undefined, isDriven: false }); // as: nothing else is used

  it('is at rest once its reports say so, and not for its silence', async () => {
    const movement = new Movement();
    const silent = performance.now() - 700;
    movement.take('state', { velocity: { linear: 0.2, angular: 0 } }, silent);
    expect(await benchOf(movement).comesToRest(100)).toBe(false);
    movement.take('state', { velocity: { linear: 0, angular: 0 } }, performance.now());
    expect(await benchOf(movement).comesToRest()).toBe(true);
  });
});

describe('The report of a check', () => {
  const check = { name: 'fence', title: 'Title' };

  it('names what is wrong, and never calls sound what was not checked', () => {
    const faulty = { check, faults: ['Mend it.'] };
    const open = { check, faults: [], notChecked: 'Add --yes.' };
    expect(outcomeLines(faulty)).toMatch(/^FAULT {2}fence +Title\n +Mend it\.$/);
    expect(outcomeLines(open)).toMatch(/^- +fence +Title\n +not checked: Add --yes\.$/);
    expect(summaryOf([faulty, open], 'docs/rosbridge.md')).toBe(
      'Not sound: fence. 1 of 2 rules were not checked. See docs/rosbridge.md.',
    );
    expect(summaryOf([open], 'docs/mqtt.md')).toBe('No faults found. 1 of 1 rules were not checked.');
    expect(summaryOf([{ check, faults: [] }], 'docs/mqtt.md')).toBe('Sound.');
  });
});
