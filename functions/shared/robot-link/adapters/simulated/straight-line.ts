import { normalizeDegrees } from '../angle.ts';
import type { Motion, Pose } from './motion.ts';

/** Speed at a maximum velocity of 100 %. */
export const FULL_SPEED = { metresPerSecond: 1, degreesPerSecond: 90 } as const;

/** Motion to a pose in a straight line at constant speed, turning on the way. */
export class StraightLine implements Motion {
  readonly seconds: number;
  readonly target: Pose;
  readonly #from: Pose;
  readonly #metres: number;
  readonly #degrees: number;

  /** @param percent of full speed. */
  constructor(from: Pose, target: Pose, percent: number) {
    this.#from = from;
    this.target = target;
    this.#metres = Math.hypot(target.x - from.x, target.y - from.y, target.z - from.z);
    this.#degrees = normalizeDegrees(target.theta - from.theta);
    const { metresPerSecond, degreesPerSecond } = FULL_SPEED;
    const atFullSpeed = Math.max(this.#metres / metresPerSecond, Math.abs(this.#degrees) / degreesPerSecond);
    this.seconds = atFullSpeed === 0 ? 0 : atFullSpeed / (percent / 100);
  }

  poseAfter(seconds: number): Pose {
    if (seconds >= this.seconds) return this.target;
    const part = seconds / this.seconds;
    const between = (from: number, to: number) => from + (to - from) * part;
    const [from, target] = [this.#from, this.target];
    return {
      x: between(from.x, target.x),
      y: between(from.y, target.y),
      z: between(from.z, target.z),
      theta: normalizeDegrees(from.theta + this.#degrees * part),
    };
  }

  velocityAfter(seconds: number) {
    if (seconds >= this.seconds) return { linear: 0, angular: 0 };
    return { linear: this.#metres / this.seconds, angular: this.#degrees / this.seconds };
  }

  goneAfter(seconds: number) {
    const part = seconds >= this.seconds ? 1 : seconds / this.seconds;
    return { metres: this.#metres * part, degrees: this.#degrees * part };
  }
}
