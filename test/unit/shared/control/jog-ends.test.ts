import { beforeEach, describe, expect, it } from '@jest/globals';
import { arrivalStamp } from '../../../../functions/shared/control/fence.ts';
import { ServiceError } from '../../../../functions/shared/errors.ts';
import { useFakeTimers } from '../../../support/fake-timers.ts';
import { FORWARD, JoggedRobot, MOVING, sourceOf, THREE_ZEROS, ZERO } from '../../../support/jogged-robot.ts';

describe('Jog', () => {
  let robot: JoggedRobot;
  const pass = useFakeTimers();

  beforeEach(() => {
    robot = new JoggedRobot();
  });

  describe('without a living guard', () => {
    it('ends at once, obeys zero, and goes on only after the stick was released', async () => {
      robot.drive();
      robot.guardLives = false;
      robot.sent.length = 0;
      expect(robot.codeOf(FORWARD)).toBe('component_unavailable');
      await pass(50);
      expect(robot.velocities).toEqual(THREE_ZEROS);
      expect(robot.audited).toEqual(['begin', 'unguarded']);
      expect(robot.codeOf({})).toBeUndefined();
      expect(robot.codeOf(FORWARD)).toBe('component_unavailable');
      robot.guardLives = true;
      expect(robot.codeOf(FORWARD)).toBe('stopped');
      expect(robot.codeOf({})).toBeUndefined();
      expect(robot.codeOf(FORWARD)).toBeUndefined();
    });

    it('the guard hears of each deadline before the velocity is sent, and of the end', async () => {
      robot.frame();
      robot.announced.length = 0;
      const before = performance.now();
      expect(robot.codeOf({ ...FORWARD, deadline_ms: 400 })).toBeUndefined();
      expect(robot.announced).toEqual([expect.closeTo(before + 400, 0)]);
      await pass(500);
      expect(robot.announced.at(-1)).toBeUndefined();
    });
  });

  describe('a stop while the stick is held', () => {
    it('ends the jog, and no frame moves the robot until the stick has been released', async () => {
      robot.drive();
      const { stamp: before } = robot.frame(FORWARD);
      robot.leased.fence.raise();
      await pass(50);
      expect(robot.velocities.slice(-3)).toEqual(THREE_ZEROS);
      robot.sent.length = 0;
      expect(robot.codeOf({ ...FORWARD, stamp: before })).toBe('stopped');
      expect(robot.codeOf(FORWARD)).toBe('stopped');
      expect(robot.codeOf({ stamp: before })).toBeUndefined(); // sent before the stop was known: the stick may be held since
      expect(robot.codeOf(FORWARD)).toBe('stopped');
      expect(robot.codeOf({})).toBeUndefined();
      expect(robot.codeOf({ ...FORWARD, stamp: before })).toBe('stopped');
      expect(robot.sent).toEqual([]);
      expect(robot.codeOf(FORWARD)).toBeUndefined();
      expect(robot.velocities).toEqual([MOVING]);
      expect(robot.audited).toEqual(['begin', 'stop', 'begin']);
    });

    it('also holds for a new lease, until there is a frame of zero under it', () => {
      robot.drive();
      robot.leased.fence.raise();
      robot.leases.release(robot.lease, 'anna');
      robot.acquire();
      expect(robot.codeOf(FORWARD)).toBe('stopped');
      expect(robot.codeOf({ stamp: undefined })).toBeUndefined();
      expect(robot.codeOf(FORWARD)).toBeUndefined();
    });

    it('refuses a frame that arrived before it and was read after it', () => {
      robot.drive();
      const arrivedAt = arrivalStamp();
      robot.leased.fence.raise();
      robot.frame();
      robot.frame(); // this one echoes a stamp from after the stop
      const late = robot.frame(FORWARD, sourceOf('anna'), arrivedAt);
      expect(late.error).toMatchObject({ code: 'stopped' });
      expect(robot.velocities.at(-1)).toEqual(ZERO);
      expect(robot.waysMade).toBe(1); // nor does it cancel anything
    });
  });

  it.each(['estop_engaged', 'driven_elsewhere'] as const)(
    'does not begin with a stick that was held while it was %s',
    (code) => {
      robot.frame();
      robot.failure = new ServiceError(code, { detail: 'The robot may not be driven.' });
      expect(robot.codeOf(FORWARD)).toBe(code);
      robot.failure = undefined;
      expect(robot.codeOf(FORWARD)).toBe('stopped');
      expect(robot.velocities).toEqual([]);
      robot.drive();
    },
  );

  it('stands still after a damaged frame of its client, but not of another', () => {
    robot.drive();
    const damaged = '{"type":"jog","vx":NaN}';
    const errorOf = (clientId: string) => robot.jogs.take(damaged, sourceOf(clientId), arrivalStamp()).error;
    expect(errorOf('ben')).toMatchObject({ code: 'validation_failed' });
    expect(robot.velocities).toEqual([MOVING]);
    expect(errorOf('anna')).toMatchObject({ code: 'validation_failed' });
    expect(robot.velocities).toEqual([MOVING, ZERO]);
  });

  it('ends when its connection closes, but not when another one does', async () => {
    const [tab, other] = [sourceOf('anna'), sourceOf('anna')];
    robot.frame({}, tab);
    robot.frame(FORWARD, tab);
    robot.jogs.disconnect(other);
    expect(robot.velocities).toEqual([MOVING]);
    robot.jogs.disconnect(tab);
    await pass(50);
    expect(robot.velocities).toEqual([MOVING, ...THREE_ZEROS]);
    expect(robot.audited).toEqual(['begin', 'disconnected']);
  });

  it('ends when the service does', () => {
    robot.drive();
    robot.jogs.close();
    expect(robot.velocities).toEqual([MOVING, ZERO]);
    expect(robot.audited).toEqual(['begin', 'shutdown']);
  });
});
