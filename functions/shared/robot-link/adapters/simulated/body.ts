import type { Velocity } from '../../port.ts';
import { normalizeDegrees, toRadians } from '../angle.ts';
import type { Motion, Pose } from './motion.ts';
import { FULL_SPEED, StraightLine } from './straight-line.ts';
import { STILL, VelocityMotion } from './velocity-motion.ts';

export type { Pose } from './motion.ts';

/** Maximum velocity at start, percent of full speed. */
const INITIAL_VELOCITY = 50;
/** The simulated floor reaches this many metres from the origin along each axis. */
export const FLOOR_METRES = 1000;

const ORIGIN: Pose = { x: 0, y: 0, z: 0, theta: 0 };

/**
 * The body of the simulated robot. It moves to a pose in a straight line at its maximum velocity, or is driven by
 * velocities that are valid for a short time. Its pose is computed from the clock when it is read; there is no timer.
 */
export class Body {
  readonly #clock: () => number;
  #velocity = INITIAL_VELOCITY;
  #motion: Motion = new StraightLine(ORIGIN, ORIGIN, INITIAL_VELOCITY);
  #since: number;
  /** The pose before the current motion. */
  #gone = { metres: 0, degrees: 0 };

  constructor(clock: () => number) {
    this.#clock = clock;
    this.#since = clock();
  }

  pose(): Pose {
    return this.#motion.poseAfter(this.#secondsPassed());
  }

  moving(): boolean {
    const { seconds } = this.#motion;
    return seconds !== Number.POSITIVE_INFINITY && this.#secondsPassed() < seconds;
  }

  /** m/s along its path, and degrees/s counter-clockwise. */
  velocity(): { readonly linear: number; readonly angular: number } {
    return this.moving() ? this.#motion.velocityAfter(this.#secondsPassed()) : { linear: 0, angular: 0 };
  }

  /** Metres travelled and degrees turned so far. */
  odometer(): { readonly metres: number; readonly degrees: number } {
    const { metres, degrees } = this.#motion.goneAfter(this.#secondsPassed());
    return { metres: this.#gone.metres + metres, degrees: this.#gone.degrees + degrees };
  }

  /** Seconds until it stands still; Infinity while the maximum velocity is 0. */
  secondsLeft(): number {
    return Math.max(0, this.#motion.seconds - this.#secondsPassed());
  }

  /** Seconds from the current pose to another; Infinity while the maximum velocity is 0. */
  secondsTo(target: Pose): number {
    return new StraightLine(this.pose(), target, this.#velocity).seconds;
  }

  /** Why it cannot move to a pose, as a sentence. */
  problemOf({ x, y, z }: Pose): string | undefined {
    if ([x, y, z].some((metres) => Math.abs(metres) > FLOOR_METRES)) {
      return `The target lies off the floor, which ends ${FLOOR_METRES} m from its origin`;
    }
    return this.#velocity > 0 ? undefined : 'The maximum velocity is 0 %; set_robot_max_velocity raises it';
  }

  /** Starts moving to a pose, ending any previous motion. */
  goTo(target: Pose): void {
    this.#begin(new StraightLine(this.pose(), { ...target, theta: normalizeDegrees(target.theta) }, this.#velocity));
  }

  /** Maximum m/s and rad/s when driven by velocities. */
  get maxVelocity(): { readonly linear: number; readonly angular: number } {
    const part = this.#velocity / 100;
    return { linear: FULL_SPEED.metresPerSecond * part, angular: toRadians(FULL_SPEED.degreesPerSecond) * part };
  }

  /** Moves at this velocity for this time, then stops by itself. */
  drive(velocity: Velocity, heldSeconds: number): void {
    this.#begin(new VelocityMotion(this.pose(), this.#drivenAt(), this.#limited(velocity), heldSeconds));
  }

  /** Brakes if it is driven by velocities; a motion to a pose continues. */
  brake(): void {
    if (this.#motion instanceof VelocityMotion) this.drive(STILL, 0);
  }

  /** The pose at an offset from the current one. */
  poseAt(offset: Pose): Pose {
    const here = this.pose();
    const [cos, sin] = [Math.cos(toRadians(here.theta)), Math.sin(toRadians(here.theta))];
    return {
      x: here.x + offset.x * cos - offset.y * sin,
      y: here.y + offset.x * sin + offset.y * cos,
      z: here.z + offset.z,
      theta: here.theta + normalizeDegrees(offset.theta),
    };
  }

  /** Stops immediately. */
  freeze(): void {
    const here = this.pose();
    this.#begin(new StraightLine(here, here, this.#velocity));
  }

  get maxVelocityPercent(): number {
    return this.#velocity;
  }

  /** Percent of full speed; a motion to a pose continues at the new velocity. */
  setMaxVelocity(percent: number): void {
    this.#velocity = percent;
    if (this.#motion instanceof StraightLine) this.goTo(this.#motion.target);
  }

  #begin(motion: Motion): void {
    this.#gone = this.odometer();
    this.#motion = motion;
    this.#since = this.#clock();
  }

  /** The current velocity when driven; a motion to a pose ends before that. */
  #drivenAt(): Velocity {
    return this.#motion instanceof VelocityMotion ? this.#motion.speedAfter(this.#secondsPassed()) : STILL;
  }

  #limited({ vx, vy, wz }: Velocity): Velocity {
    const { linear, angular } = this.maxVelocity;
    const slower = Math.min(1, linear / Math.max(Math.hypot(vx, vy), Number.MIN_VALUE));
    return { vx: vx * slower, vy: vy * slower, wz: Math.max(-angular, Math.min(angular, wz)) };
  }

  /** Never negative: a wall clock may be set back. */
  #secondsPassed(): number {
    return Math.max(0, (this.#clock() - this.#since) / 1000);
  }
}
