/** Where the process stands in its life. `draining`: it takes no new work and will end. */
export interface Lifecycle {
  readonly draining: boolean;
}
