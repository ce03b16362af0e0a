import { beforeEach, describe, expect, it } from '@jest/globals';
import { arrivalStamp } from '../../../../functions/shared/control/fence.ts';
import { useFakeTimers } from '../../../support/fake-timers.ts';
import { FORWARD, JoggedRobot, MOVING, sourceOf, THREE_ZEROS, ZERO } from '../../../support/jogged-robot.ts';
import { ANNA, BEN } from '../../../support/leased-robot.ts';

describe('Jog', () => {
  let robot: JoggedRobot;
  const pass = useFakeTimers();

  beforeEach(() => {
    robot = new JoggedRobot();
  });

  it('sends each velocity once, with an increasing number and its time of validity', async () => {
    robot.drive();
    robot.frame({ ...FORWARD, wz: -0.1, deadline_ms: 500 });
    expect(robot.sent).toMatchObject([
      { velocity: MOVING, seq: 1, validMs: 300 },
      { velocity: { vx: 0.2, vy: 0, wz: -0.1 }, seq: 2, validMs: 500 },
    ]);
    await pass(250);
    expect(robot.sent).toHaveLength(2);
  });

  describe('and the lease', () => {
    it.each([
      [
        'without one while nobody has one',
        'lease_required',
        () => robot.leases.release(robot.lease, 'anna'),
        undefined,
      ],
      ['without one', 'lease_held', () => undefined, undefined],
      ["with another client's", 'lease_held', () => undefined, 'of ben'],
      ['with a dead one', 'lease_lost', () => robot.leases.release(robot.lease, 'anna'), 'of anna'],
    ])('is refused %s', (_what, code, change, from) => {
      change();
      const changes = from === undefined ? { lease: undefined, ...FORWARD } : FORWARD;
      expect(robot.codeOf(changes, sourceOf(from === 'of ben' ? 'ben' : 'anna'))).toBe(code);
      expect(robot.sent).toEqual([]);
    });

    it('is kept by accepted frames, but not by refused ones', async () => {
      for (let second = 0; second < 4; second += 1) {
        await pass(1_000);
        robot.frame();
      }
      expect(robot.leases.status().state).toBe('fresh');
      for (let second = 0; second < 2; second += 1) {
        await pass(1_000);
        robot.frame({ ...FORWARD, stamp: 'none' });
      }
      await pass(100);
      expect(robot.leases.status().state).toBe('stale');
    });

    it.each([
      ['lapses', () => pass(500)],
      ['is returned', () => robot.leases.release(robot.lease, 'anna')],
      ['is taken', () => void robot.leases.take(BEN, 0)],
    ])('ends at once when it %s', async (_what, end) => {
      robot.leases.acquire({ ...ANNA, ttlMs: 500 });
      robot.drive();
      robot.frame({ ...FORWARD, deadline_ms: 1_000 });
      robot.sent.length = 0;
      await end();
      await pass(50);
      expect(robot.velocities).toEqual(THREE_ZEROS);
      expect(robot.audited).toEqual(['begin', expect.stringMatching(/^(lease|stop)$/)]);
      expect(['lease_lost', 'lease_held']).toContain(robot.codeOf(FORWARD));
    });
  });

  describe('stamps', () => {
    it('are needed by frames that move the robot, not by zero', () => {
      expect(robot.frame({ stamp: undefined })).not.toHaveProperty('error');
      expect(robot.codeOf({ ...FORWARD, stamp: undefined })).toBe('precondition_failed');
      expect(robot.codeOf({ ...FORWARD, stamp: null })).toBe('precondition_failed');
      expect(robot.codeOf(FORWARD)).toBeUndefined();
    });

    it.each([
      ['of another client', () => robot.frame({}, sourceOf('ben')).stamp],
      ['of another process', () => new JoggedRobot().frame().stamp],
      ['that was changed', () => `A${robot.frame().stamp.slice(1, -1)}A`],
      ['that is malformed', () => 'stamp'],
    ])('%s do not count', (_what, make) => {
      const stamp = make();
      expect(robot.codeOf({ ...FORWARD, stamp })).toBe('precondition_failed');
      expect(robot.sent).toEqual([]);
    });

    it('are valid for the deadline plus 500 ms, and always for zero', async () => {
      const { stamp } = robot.frame();
      await pass(800);
      expect(robot.codeOf({ ...FORWARD, stamp })).toBeUndefined();
      await pass(10);
      expect(robot.codeOf({ ...FORWARD, stamp })).toBe('precondition_failed');
      expect(robot.codeOf({ ...FORWARD, stamp, deadline_ms: 400 })).toBeUndefined();
      expect(robot.codeOf({ stamp })).toBeUndefined();
    });
  });

  describe('numbers', () => {
    it('that are not newer are ignored, but answered', () => {
      robot.drive();
      const { seq } = robot.frame(FORWARD);
      const late = robot.frame({ ...FORWARD, vx: -0.2, seq });
      expect(late).toMatchObject({ seq, stamp: expect.any(String) });
      expect(late).not.toHaveProperty('error');
      expect(robot.velocities).toEqual([MOVING, MOVING]);
      expect(robot.fates.at(-1)).toBe('ignored');
    });

    it('start over with each lease', () => {
      robot.frame({ seq: 1_000 });
      robot.leases.release(robot.lease, 'anna');
      robot.acquire();
      expect(robot.frame({ ...FORWARD, seq: 0 })).not.toHaveProperty('error');
      expect(robot.velocities).toEqual([MOVING]);
    });
  });

  describe('a frame with a fault', () => {
    it.each([
      ['a missing member', { vx: undefined }],
      ['a member that is no number', { vx: null }],
      ['an infinite member', { wz: Number.POSITIVE_INFINITY }],
      ['a deadline that is too long', { ...FORWARD, deadline_ms: 5_000 }],
      ['an unknown member', { ...FORWARD, vz: 1 }],
      ['no number', { seq: undefined }],
    ])('such as %s is refused and counts as zero', (_what, changes) => {
      robot.drive();
      robot.sent.length = 0;
      expect(robot.codeOf({ ...FORWARD, ...changes })).toBe('validation_failed');
      expect(robot.velocities).toEqual([ZERO]);
    });

    it('of another client stops nobody', () => {
      robot.drive();
      robot.sent.length = 0;
      expect(robot.codeOf({ vx: null }, sourceOf('ben'))).toBe('lease_held');
      expect(robot.sent).toEqual([]);
    });

    it('that is not an object is answered', () => {
      expect(robot.jogs.take('jog', sourceOf('anna'), arrivalStamp())).toMatchObject({ seq: null });
    });
  });

  it('sends zero three times if nothing newer arrives within the deadline', async () => {
    robot.drive();
    await pass(299);
    expect(robot.velocities).toEqual([MOVING]);
    await pass(1_000);
    expect(robot.velocities).toEqual([MOVING, ...THREE_ZEROS]);
    expect(robot.audited).toEqual(['begin', 'silence']);
  });

  it('sends zero three times when the stick is released, and nothing while it stays at rest', async () => {
    robot.drive();
    for (let n = 0; n < 20; n += 1) {
      robot.frame();
      await pass(50);
    }
    expect(robot.velocities).toEqual([MOVING, ...THREE_ZEROS]);
    expect(robot.audited).toEqual(['begin']);
  });

  it('is not slowed down by pending zeros', async () => {
    robot.drive();
    robot.frame();
    robot.frame(FORWARD);
    await pass(100);
    expect(robot.velocities).toEqual([MOVING, ZERO, MOVING]);
  });
});
