import { setMaxListeners } from 'node:events';

/**
 * A signal that never aborts, for waits that end with their connection. Waits of all robots share it, hence the limit.
 */
export const NEVER = new AbortController().signal;
setMaxListeners(0, NEVER);
