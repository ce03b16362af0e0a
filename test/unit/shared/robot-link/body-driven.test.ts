import { describe, expect, it } from '@jest/globals';
import { Body } from '../../../../functions/shared/robot-link/adapters/simulated/body.ts';
import { handClock } from '../../../support/robot.ts';

function drivenBody() {
  const clock = handClock();
  const body = new Body(clock.now);
  body.setMaxVelocity(100);
  return { clock, body };
}

const STILL = { linear: 0, angular: 0 };

describe('The body of the simulated robot, driven by velocities', () => {
  it('speeds up at a limited acceleration, and comes to rest by itself when nothing comes any more', () => {
    const { clock, body } = drivenBody();
    body.drive({ vx: 0.2, vy: 0, wz: 0 }, 0.5);
    clock.advance(100);
    expect(body.velocity().linear).toBeCloseTo(0.1);
    clock.advance(100);
    expect(body.velocity().linear).toBeCloseTo(0.2);
    clock.advance(400);
    expect(body.velocity().linear).toBeCloseTo(0.1);
    expect(body.moving()).toBe(true);
    clock.advance(60_000);
    expect([body.moving(), body.velocity()]).toEqual([false, STILL]);
    expect(body.pose().x).toBeCloseTo(0.02 + 0.06 + 0.02, 4); // up, along and down
  });

  it('drives on as long as velocities come', () => {
    const { clock, body } = drivenBody();
    for (let n = 0; n < 40; n += 1) {
      body.drive({ vx: 0.2, vy: 0, wz: 0 }, 0.3);
      clock.advance(50);
    }
    expect(body.pose().x).toBeCloseTo(0.2 * 2 - 0.02, 3);
    expect(body.velocity().linear).toBeCloseTo(0.2);
    body.brake();
    clock.advance(200);
    expect([body.moving(), body.velocity()]).toEqual([false, STILL]);
    expect(body.pose().x).toBeCloseTo(0.2 * 2, 3);
  });

  it('moves in its own frame, and along an arc while it turns', () => {
    const { clock, body } = drivenBody();
    body.goTo({ x: 0, y: 0, z: 0, theta: 90 });
    clock.advance(60_000);
    for (let n = 0; n < 100; n += 1) {
      body.drive({ vx: 0.2, vy: 0, wz: 0.5 }, 0.3);
      clock.advance(50);
    }
    body.brake();
    clock.advance(1_000);
    const { x, y, theta } = body.pose();
    const turned = ((theta - 90 + 720) % 360) * (Math.PI / 180);
    expect(turned).toBeCloseTo(0.5 * 5, 1);
    // A quarter turned to the left of a circle with a radius of 0.4 m, whose middle is to the left.
    expect(Math.hypot(x + 0.4, y)).toBeCloseTo(0.4, 1);
    expect(body.odometer().metres).toBeCloseTo(0.2 * 5, 2);
  });

  it('drives backwards and sideways, and its odometer counts what the wheels turn', () => {
    const { clock, body } = drivenBody();
    body.drive({ vx: -0.1, vy: 0.1, wz: 0 }, 0.5);
    clock.advance(60_000);
    expect(body.pose().x).toBeLessThan(-0.04);
    expect(body.pose().y).toBeCloseTo(-body.pose().x, 6);
    expect(body.odometer().metres).toBeCloseTo(body.pose().x, 6);
  });

  it('is no faster than its maximum velocity', () => {
    const { clock, body } = drivenBody();
    body.setMaxVelocity(20);
    body.drive({ vx: 30, vy: 40, wz: -90 }, 5);
    clock.advance(4_000);
    expect(body.velocity().linear).toBeCloseTo(0.2);
    expect(body.velocity().angular).toBeCloseTo(-18);
  });

  it('goes on to its pose at a zero velocity that comes too late, and goes to one from where it drives', () => {
    const { clock, body } = drivenBody();
    body.drive({ vx: 0.2, vy: 0, wz: 0 }, 0.3);
    clock.advance(200);
    const { x } = body.pose();
    body.goTo({ x: x + 1, y: 0, z: 0, theta: 0 });
    body.brake();
    clock.advance(60_000);
    expect(body.pose().x).toBeCloseTo(x + 1);
  });

  it('stands still at once when it is frozen, and while the clock is set back', () => {
    const { clock, body } = drivenBody();
    body.drive({ vx: 0.2, vy: 0, wz: 0 }, 0.5);
    clock.advance(200);
    const here = body.pose();
    body.freeze();
    clock.advance(-3_600_000);
    expect([body.pose(), body.moving()]).toEqual([here, false]);
    body.drive({ vx: 0.2, vy: 0, wz: 0 }, 0.5);
    clock.advance(3_600_000);
    expect(body.moving()).toBe(false);
    expect(body.pose().x - here.x).toBeLessThan(0.11);
  });
});
