import { type Port, port } from '../../shared/port.ts';
import { robotLink, robots } from '../../shared/robot-link/ports.ts';
import type { KnownRobots } from './port.ts';

/** A fleet, or this one robot. */
export const knownRobots: Port<KnownRobots> = /* @__PURE__ */ port('known robots', async (ports) => {
  if (ports.config.fleet) {
    const fleet = await ports.get(robots);
    return { list: () => fleet.survey() };
  }
  const link = await ports.get(robotLink);
  const id = ports.config.SERVICE_ROBOT_ID;
  return {
    list: async () => {
      const online = link.connected();
      return [{ id, online, since: undefined, catalogueSize: online ? link.catalogue().size : 0 }];
    },
  };
});
