import { unavailable } from '../../functions/shared/errors.ts';
import { tokens } from '../../functions/shared/identity/ports.ts';
import { type Port, port } from '../../functions/shared/port.ts';
import type { EventStreams } from './event-streams.ts';

export { tokens };

/** Everybody who receives events from this process; provided by the host. */
export const eventStreams: Port<EventStreams> = /* @__PURE__ */ port('event streams', () => {
  throw unavailable('events', 'Only the service at the robot has them.');
});
