import { beforeEach, describe, expect, it } from '@jest/globals';
import { clampVelocity } from '../../../../functions/shared/control/jog-velocity.ts';
import { ServiceError } from '../../../../functions/shared/errors.ts';
import { useFakeTimers } from '../../../support/fake-timers.ts';
import { FORWARD, JoggedRobot, MOVING, ZERO } from '../../../support/jogged-robot.ts';

describe('Jog', () => {
  let robot: JoggedRobot;
  const pass = useFakeTimers();

  beforeEach(() => {
    robot = new JoggedRobot();
    robot.frame();
  });

  describe('while something else moves the robot', () => {
    let end: () => void;
    let fail: (error: Error) => void;
    beforeEach(() => {
      robot.inTheWay = new Promise((resolve, reject) => {
        [end, fail] = [resolve, reject];
      });
    });

    it('waits until that has ended, and drops frames until then', async () => {
      expect(robot.frame(FORWARD)).toMatchObject({ waiting: true });
      await pass(100);
      expect(robot.frame(FORWARD)).toMatchObject({ waiting: true });
      end();
      await pass(0);
      expect(robot.sent).toEqual([]);
      expect(robot.frame(FORWARD)).not.toHaveProperty('waiting');
      expect([robot.velocities, robot.waysMade]).toEqual([[MOVING], 1]);
    });

    it('is refused if that does not end, and tries again', async () => {
      robot.frame(FORWARD);
      fail(new ServiceError('busy', { detail: 'The mission goes on.' }));
      await pass(0);
      expect(robot.frame(FORWARD).error).toMatchObject({ code: 'busy' });
      robot.inTheWay = undefined;
      expect(robot.frame(FORWARD)).not.toHaveProperty('error');
      expect([robot.velocities, robot.waysMade]).toEqual([[MOVING], 2]);
      expect(robot.audited).toEqual(['begin', 'blocked', 'begin']);
    });

    it('does not begin by itself when the stick was let go in the meantime', async () => {
      robot.frame(FORWARD);
      robot.frame();
      end();
      await pass(1_000);
      expect(robot.sent).toEqual([]);
    });
  });

  it('gives way to a drive of its holder, after one zero', async () => {
    robot.frame(FORWARD);
    expect(robot.jogs.giveWay(true)).toBe(true);
    await pass(1_000);
    expect(robot.velocities).toEqual([MOVING, ZERO]);
    expect(robot.audited).toEqual(['begin', 'replaced']);
    expect(robot.jogs.giveWay(true)).toBe(false);
  });

  it('cancels a mission that has started since, with the next frame that moves the robot', () => {
    robot.frame(FORWARD);
    robot.jogs.giveWay(false);
    robot.frame();
    expect(robot.waysMade).toBe(1);
    robot.frame(FORWARD);
    expect(robot.waysMade).toBe(2);
  });

  it.each([
    ['has no jog', undefined],
    ['promises no watchdog in time', { watchdogMs: 501 }],
    ['promises a watchdog that is no number', { watchdogMs: Number.NaN }],
  ])('is unavailable if the robot %s', (_what, jog) => {
    robot.jog = jog;
    expect(robot.frame(FORWARD).error).toMatchObject({ code: 'component_unavailable', status: 503 });
    expect(robot.sent).toEqual([]);
  });

  it('leaves the robot to its watchdog if zero cannot be sent', async () => {
    robot.frame(FORWARD);
    robot.failure = new ServiceError('robot_unavailable', { detail: 'The link is down.' });
    expect(robot.frame(FORWARD).error).toMatchObject({ code: 'robot_unavailable' });
    await pass(1_000);
    robot.failure = undefined;
    expect(robot.audited).toEqual(['begin', 'silence']);
    expect(robot.frame()).not.toHaveProperty('error');
    expect(robot.frame(FORWARD)).not.toHaveProperty('error');
  });

  it('is limited by the service and the robot', () => {
    robot.jog = { watchdogMs: 300, maxLinear: 0.1, maxAngular: 2 };
    robot.frame({ vx: 30, vy: -40, wz: 9 });
    expect(robot.velocities[0]?.vx).toBeCloseTo(0.06);
    expect(robot.velocities[0]?.vy).toBeCloseTo(-0.08);
    expect(robot.velocities[0]?.wz).toBe(0.5);
  });
});

describe('A velocity', () => {
  const LIMITS = { linear: 0.25, angular: 0.5 };

  it.each([
    [
      { vx: 0.25, vy: 0, wz: -0.5 },
      { vx: 0.25, vy: 0, wz: -0.5 },
    ],
    [
      { vx: 0.1, vy: 0.2, wz: 0 },
      { vx: 0.1, vy: 0.2, wz: 0 },
    ],
    [
      { vx: 3, vy: 4, wz: 1 },
      { vx: 0.15, vy: 0.2, wz: 0.5 },
    ],
    [
      { vx: -1e308, vy: -1e308, wz: -1e308 },
      { vx: -0.25 / Math.SQRT2, vy: -0.25 / Math.SQRT2, wz: -0.5 },
    ],
    [
      { vx: 0.25, vy: 5e-324, wz: 0 },
      { vx: 0.25, vy: 5e-324, wz: 0 },
    ],
  ])('%j is slowed down to %j', (velocity, slowed) => {
    const { vx, vy, wz } = clampVelocity(velocity, LIMITS);
    expect([vx, vy, wz]).toEqual([slowed.vx, slowed.vy, slowed.wz].map((value) => expect.closeTo(value, 12)));
  });
});
