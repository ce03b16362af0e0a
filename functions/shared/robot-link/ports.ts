import { fence, jogs, leases } from '../control/ports.ts';
import { events } from '../events/ports.ts';
import { metrics, refusals } from '../observability/ports.ts';
import { type Port, type Ports, port } from '../port.ts';
import { runs } from '../runs/ports.ts';
import type { RobotLink, Robots } from './port.ts';
import { simulatedHome } from './simulated-home.ts';

/** The robots of a fleet, over one connection to their broker. */
export const robots: Port<Robots> = /* @__PURE__ */ port(
  'robots',
  async (ports) => {
    const { openMqttFleet } = await import('./adapters/mqtt/open.ts');
    return openMqttFleet(ports.config, await worldOf(ports));
  },
  (fleet) => fleet.close(),
  { thaw: (fleet) => fleet.thaw() },
);

/** The way to the robot, chosen by SERVICE_ROBOT_URL. */
export const robotLink: Port<RobotLink> = /* @__PURE__ */ port(
  'robot link',
  async (ports) => {
    const { openFleetLink, openRobotLink } = await import('./adapters/open.ts');
    const { config } = ports;
    const world = await worldOf(ports);
    if (config.fleet && config.SERVICE_LEASE === 'required') {
      world.logger.warn('SERVICE_LEASE=required has no effect in a fleet: set it on each robot');
    }
    if (config.fleet) {
      const telling = { ...world, events: await ports.get(events) };
      return openFleetLink(await ports.get(robots), config.SERVICE_ROBOT_ID, telling);
    }
    return openRobotLink(config, {
      ...world,
      openFence: () => ports.get(fence),
      control: config.inCloud ? undefined : { leases: await ports.get(leases), jogs: await ports.get(jogs) },
      openHome: () => ports.get(simulatedHome),
      events: await ports.get(events),
      runs: config.inCloud ? undefined : await ports.get(runs),
    });
  },
  (link) => link.close(),
  {
    perRobot: true,
    thaw: (link) => link.thaw?.(),
    withoutToken: async () => (await import('./adapters/none.ts')).robotWithoutToken(),
  },
);

async function worldOf(ports: Ports) {
  const { logger, clock } = ports;
  return { logger, clock, metrics: await ports.get(metrics), refusals: await ports.get(refusals) };
}
