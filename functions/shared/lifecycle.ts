/** Where the process stands in its life. */
export interface Lifecycle {
  /** True once the host takes no new work; it never becomes false again. */
  readonly draining: boolean;
}
