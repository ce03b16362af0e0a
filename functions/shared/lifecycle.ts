/** Where the process stands in its life. The host sets `draining` once it takes no new work; nothing ever unsets it. */
export interface Lifecycle {
  draining: boolean;
}
