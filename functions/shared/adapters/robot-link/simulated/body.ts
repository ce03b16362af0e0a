import { normalizeDegrees, toRadians } from './angle.ts';

/** Metres; theta in degrees, counter-clockwise, 0 along x. */
export type Pose = { readonly x: number; readonly y: number; readonly z: number; readonly theta: number };

/** Speed at a maximum velocity of 100 %. */
export const FULL_SPEED = { metresPerSecond: 1, degreesPerSecond: 90 } as const;
/** Maximum velocity at start, percent of full speed. */
export const INITIAL_VELOCITY = 50;
/** The simulated floor reaches this many metres from the origin along each axis. */
export const FLOOR_METRES = 1000;

const ORIGIN: Pose = { x: 0, y: 0, z: 0, theta: 0 };

/**
 * The body of the simulated robot. It moves in a straight line at its maximum velocity, turning on the way. Its pose
 * follows from the clock when somebody asks; nothing ticks in between.
 */
export class Body {
  readonly #clock: () => number;
  #from = ORIGIN;
  #target = ORIGIN;
  #since: number;
  #velocity = INITIAL_VELOCITY;

  constructor(clock: () => number) {
    this.#clock = clock;
    this.#since = clock();
  }

  pose(): Pose {
    const seconds = this.#secondsToTarget();
    const passed = this.#secondsPassed();
    if (passed >= seconds) return this.#target;
    const part = passed / seconds;
    const between = (from: number, to: number) => from + (to - from) * part;
    const [from, target] = [this.#from, this.#target];
    return {
      x: between(from.x, target.x),
      y: between(from.y, target.y),
      z: between(from.z, target.z),
      theta: normalizeDegrees(from.theta + normalizeDegrees(target.theta - from.theta) * part),
    };
  }

  moving(): boolean {
    return this.#velocity > 0 && this.#secondsPassed() < this.#secondsToTarget();
  }

  /** Seconds until it arrives; Infinity while the maximum velocity is 0. */
  secondsLeft(): number {
    return Math.max(0, this.#secondsToTarget() - this.#secondsPassed());
  }

  /** Starts for a pose, in place of where it was going. False, and nothing changes, when that lies off the floor. */
  goTo(target: Pose): boolean {
    if ([target.x, target.y, target.z].some((metres) => Math.abs(metres) > FLOOR_METRES)) return false;
    this.#rebase({ ...target, theta: normalizeDegrees(target.theta) });
    return true;
  }

  /** As {@link goTo}, seen from where the robot stands and looks now. */
  goBy(offset: Pose): boolean {
    const here = this.pose();
    const [cos, sin] = [Math.cos(toRadians(here.theta)), Math.sin(toRadians(here.theta))];
    return this.goTo({
      x: here.x + offset.x * cos - offset.y * sin,
      y: here.y + offset.x * sin + offset.y * cos,
      z: here.z + offset.z,
      theta: here.theta + normalizeDegrees(offset.theta),
    });
  }

  /** Stands still where it is. */
  freeze(): void {
    this.#rebase(this.pose());
  }

  /** Percent of full speed; a motion under way goes on at the new velocity. */
  setMaxVelocity(percent: number): void {
    this.#rebase(this.#target);
    this.#velocity = percent;
  }

  #rebase(target: Pose): void {
    this.#from = this.pose();
    this.#target = target;
    this.#since = this.#clock();
  }

  /** Never negative: a wall clock may be set back. */
  #secondsPassed(): number {
    return Math.max(0, (this.#clock() - this.#since) / 1000);
  }

  #secondsToTarget(): number {
    const [from, target] = [this.#from, this.#target];
    const metres = Math.hypot(target.x - from.x, target.y - from.y, target.z - from.z);
    const degrees = Math.abs(normalizeDegrees(target.theta - from.theta));
    const fullSpeedSeconds = Math.max(metres / FULL_SPEED.metresPerSecond, degrees / FULL_SPEED.degreesPerSecond);
    return fullSpeedSeconds === 0 ? 0 : fullSpeedSeconds / (this.#velocity / 100);
  }
}
