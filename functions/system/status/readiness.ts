/** A check of one part that has to work for the service to be ready. */
export interface ReadinessCheck {
  /** Name of the part in the response of /health/ready. */
  readonly part: string;
  /** Public explanation if the part is not ready: no path, no secret. */
  readonly reason: string;
  /** Why the part is not ready, for the log; undefined if it is ready. Throwing also means not ready. */
  readonly problem: () => Promise<string | undefined>;
  /** Public notes that do not affect readiness. */
  readonly notes?: () => Promise<readonly string[]>;
}
