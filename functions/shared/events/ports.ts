import { type Port, type Ports, port } from '../port.ts';
import { type Events, NO_EVENTS } from './events.port.ts';

/** Where a container publishes events: nowhere, unless the local host provides its hubs. */
export const eventSource: Port<(ports: Ports) => Events | Promise<Events>> = /* @__PURE__ */ port(
  'event source',
  () => () => NO_EVENTS,
);

/** Where the parts of the service publish events, separately for each robot of a fleet. */
export const events: Port<Events> = /* @__PURE__ */ port(
  'events',
  async (ports) => (await ports.get(eventSource))(ports),
  undefined,
  { perRobot: true, withoutToken: () => NO_EVENTS },
);
