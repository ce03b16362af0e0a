/** The state of the process. */
export interface Lifecycle {
  /** True once the host accepts no new work; never becomes false again. */
  readonly draining: boolean;
}
