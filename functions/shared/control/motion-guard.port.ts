/** The process that stops the robot when this one cannot, as the parts see it that move the robot. */
export interface MotionGuard {
  /** Whether it has given a sign within the last second; true where the robot needs no guard. */
  readonly isLiving: boolean;
  /**
   * Whether it shares the fence of this process, so that a stop by either of them holds for both; undefined where there
   * is nobody to share it with.
   */
  readonly isFenced: boolean | undefined;
  /** What it would have to end, if this process could not, is about to change. */
  announce(): void;
}

/** For robots that need no guard, or have one of their own. */
export const UNGUARDED: MotionGuard = { isLiving: true, isFenced: undefined, announce: () => undefined };
