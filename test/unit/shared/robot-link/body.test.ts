import { describe, expect, it } from '@jest/globals';
import { normalizeDegrees } from '../../../../functions/shared/robot-link/adapters/angle.ts';
import { Body, FLOOR_METRES } from '../../../../functions/shared/robot-link/adapters/simulated/body.ts';
import { handClock } from '../../../support/robot.ts';

const at = (x: number, y: number, theta = 0) => ({ x, y, z: 0, theta });

function bodyAtFullSpeed() {
  const clock = handClock();
  const body = new Body(clock.now);
  body.setMaxVelocity(100);
  return { clock, body };
}

describe('The body of the simulated robot', () => {
  it('moves in a straight line at its maximum velocity and arrives exactly', () => {
    const { clock, body } = bodyAtFullSpeed();
    expect(body.problemOf(at(3, 4))).toBeUndefined();
    expect(body.secondsTo(at(3, 4))).toBe(5);
    body.goTo(at(3, 4));
    expect(body.secondsLeft()).toBe(5);
    clock.advance(2_500);
    expect(body.pose()).toEqual(at(1.5, 2));
    expect(body.moving()).toBe(true);
    clock.advance(2_500);
    expect(body.pose()).toEqual(at(3, 4));
    expect(body.moving()).toBe(false);
  });

  it('takes twice the time at half the velocity, as soon as it is set', () => {
    const { clock, body } = bodyAtFullSpeed();
    body.goTo(at(4, 0));
    clock.advance(2_000);
    body.setMaxVelocity(50);
    clock.advance(2_000);
    expect(body.pose().x).toBeCloseTo(3);
    clock.advance(2_000);
    expect(body.pose()).toEqual(at(4, 0));
  });

  it('stands still at a maximum velocity of 0 and continues later', () => {
    const { clock, body } = bodyAtFullSpeed();
    body.setMaxVelocity(0);
    body.goTo(at(2, 0));
    clock.advance(60_000);
    expect(body.pose()).toEqual(at(0, 0));
    expect(body.moving()).toBe(false);
    expect(body.secondsLeft()).toBe(Number.POSITIVE_INFINITY);
    body.setMaxVelocity(100);
    clock.advance(2_000);
    expect(body.pose()).toEqual(at(2, 0));
  });

  it('turns the shorter way', () => {
    const { clock, body } = bodyAtFullSpeed();
    body.goTo(at(0, 0, 270));
    clock.advance(500);
    expect(body.pose().theta).toBeCloseTo(-45);
    clock.advance(500);
    expect(body.pose().theta).toBe(-90);
  });

  it('interprets a relative goal in its own frame', () => {
    const { clock, body } = bodyAtFullSpeed();
    body.goTo(at(1, 1, 90));
    clock.advance(10_000);
    body.goTo(body.poseAt(at(2, 0, 90)));
    clock.advance(10_000);
    const pose = body.pose();
    expect(pose.x).toBeCloseTo(1);
    expect(pose.y).toBeCloseTo(3);
    expect(pose.theta).toBe(-180);
  });

  it('freezes where it is', () => {
    const { clock, body } = bodyAtFullSpeed();
    body.goTo(at(10, 0));
    clock.advance(3_000);
    body.freeze();
    clock.advance(60_000);
    expect(body.pose()).toEqual(at(3, 0));
    expect(body.moving()).toBe(false);
  });

  it('does not jump back when the clock is set back', () => {
    const { clock, body } = bodyAtFullSpeed();
    clock.advance(-500_000);
    body.goTo(at(1, 0));
    clock.advance(-1_000);
    expect(body.pose()).toEqual(at(0, 0));
  });

  it.each([FLOOR_METRES + 1, -FLOOR_METRES - 1, Number.MAX_VALUE])('says that %d m are too far', (metres) => {
    const { body } = bodyAtFullSpeed();
    expect(body.problemOf(at(metres, 0))).toContain('off the floor');
    expect(body.problemOf(body.poseAt(at(0, metres, Number.MAX_VALUE)))).toContain('off the floor');
  });

  it.each([
    [0, 0],
    [180, -180],
    [-180, -180],
    [540, -180],
    [359, -1],
    [-721, -1],
  ])('calls the direction %d degrees %d', (given, normal) => {
    expect(normalizeDegrees(given)).toBe(normal);
  });
});
