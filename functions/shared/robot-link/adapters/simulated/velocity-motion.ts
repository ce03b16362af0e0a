import type { Velocity } from '../../port.ts';
import { normalizeDegrees, toDegrees, toRadians } from '../angle.ts';
import type { Motion, Pose } from './motion.ts';

/** Acceleration limits in m/s² and rad/s². */
export const ACCELERATION = { linear: 1, angular: 3 } as const;

export const STILL: Velocity = { vx: 0, vy: 0, wz: 0 };

/** Step of the numerical integration: a path with changing direction and speed has no closed formula. */
const STEP_SECONDS = 0.005;

/**
 * Moves at a velocity for a while, then comes to rest, both with limited acceleration. Coming to rest by itself is the
 * watchdog of the simulated robot.
 */
export class VelocityMotion implements Motion {
  readonly seconds: number;
  readonly #from: Pose;
  readonly #start: Velocity;
  readonly #wanted: Velocity;
  readonly #heldSeconds: number;

  /** @param heldSeconds how long it keeps the target velocity before it brakes. */
  constructor(from: Pose, start: Velocity, wanted: Velocity, heldSeconds: number) {
    this.#from = from;
    this.#start = start;
    this.#wanted = wanted;
    this.#heldSeconds = heldSeconds;
    const { vx, vy, wz } = approach(start, wanted, heldSeconds);
    this.seconds =
      heldSeconds + Math.max(Math.hypot(vx, vy) / ACCELERATION.linear, Math.abs(wz) / ACCELERATION.angular);
  }

  /** In its own frame, in m/s and rad/s. */
  speedAfter(seconds: number): Velocity {
    const driven = approach(this.#start, this.#wanted, Math.min(seconds, this.#heldSeconds));
    return seconds <= this.#heldSeconds ? driven : approach(driven, STILL, seconds - this.#heldSeconds);
  }

  velocityAfter(seconds: number) {
    const { vx, vy, wz } = this.speedAfter(seconds);
    return { linear: Math.hypot(vx, vy), angular: toDegrees(wz) };
  }

  poseAfter(seconds: number): Pose {
    let { x, y, theta } = this.#from;
    theta = toRadians(theta);
    this.#integrate(seconds, ({ vx, vy, wz }, step) => {
      const heading = theta + (wz * step) / 2;
      x += (vx * Math.cos(heading) - vy * Math.sin(heading)) * step;
      y += (vx * Math.sin(heading) + vy * Math.cos(heading)) * step;
      theta += wz * step;
    });
    return { x, y, z: this.#from.z, theta: normalizeDegrees(toDegrees(theta)) };
  }

  /** Metres travelled forward; wheels do not turn for sideways motion. */
  goneAfter(seconds: number) {
    let metres = 0;
    let radians = 0;
    this.#integrate(seconds, ({ vx, wz }, step) => {
      metres += vx * step;
      radians += wz * step;
    });
    return { metres, degrees: toDegrees(radians) };
  }

  #integrate(seconds: number, add: (velocity: Velocity, step: number) => void): void {
    const end = Math.min(seconds, this.seconds);
    for (let passed = 0; passed < end; passed += STEP_SECONDS) {
      const step = Math.min(STEP_SECONDS, end - passed);
      add(this.speedAfter(passed + step / 2), step);
    }
  }
}

/** The velocity after this time when changing from one to another. */
function approach(from: Velocity, to: Velocity, seconds: number): Velocity {
  const linear = share(Math.hypot(to.vx - from.vx, to.vy - from.vy), ACCELERATION.linear * seconds);
  const angular = share(Math.abs(to.wz - from.wz), ACCELERATION.angular * seconds);
  return {
    vx: from.vx + (to.vx - from.vx) * linear,
    vy: from.vy + (to.vy - from.vy) * linear,
    wz: from.wz + (to.wz - from.wz) * angular,
  };
}

function share(whole: number, part: number): number {
  return part >= whole ? 1 : part / whole;
}
