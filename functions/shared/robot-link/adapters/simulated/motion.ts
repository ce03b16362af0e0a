/** Metres; theta in degrees, counter-clockwise, 0 along x. */
export type Pose = { readonly x: number; readonly y: number; readonly z: number; readonly theta: number };

/** One motion of the body as a function of time. */
export interface Motion {
  /** How long it takes; Infinity while it cannot continue. */
  readonly seconds: number;
  poseAfter(seconds: number): Pose;
  /** m/s, and degrees/s counter-clockwise. */
  velocityAfter(seconds: number): { readonly linear: number; readonly angular: number };
  /** Metres travelled and degrees turned by then. */
  goneAfter(seconds: number): { readonly metres: number; readonly degrees: number };
}
