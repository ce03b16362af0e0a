import { type Port, port } from '../../shared/port.ts';
import { robotLink, robots } from '../../shared/robot-link/ports.ts';
import type { Disk } from './disk.port.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { ReadinessCheck } from './readiness.ts';
import { type RobotStanding, STANDING_WITHOUT_TOKEN, standingOfFleet, standingOfRobot } from './robot-standing.ts';
import type { StopAddresses } from './status.schema.ts';

/** The readiness checks; provided by the host, which knows all parts. */
export const readiness: Port<readonly ReadinessCheck[]> = /* @__PURE__ */ port('readiness', () => []);

/** The state of the process; provided by the host. */
export const lifecycle: Port<Lifecycle> = /* @__PURE__ */ port('lifecycle', () => ({ draining: false }));

/**
 * Where stop is served besides the service itself; provided by the host. Robots of a fleet, and those reached through
 * the cloud, have that themselves.
 */
export const stopAddresses: Port<() => StopAddresses | null> = /* @__PURE__ */ port('stop addresses', () => () => null);

/** The disk of this host; a robot of a fleet has its own, and a function in the cloud none. */
export const disk: Port<Disk> = /* @__PURE__ */ port(
  'disk',
  async ({ config, robotId }) => {
    if (config.inCloud || robotId !== undefined) return { usage: () => undefined };
    const { openDisk } = await import('./adapters/disk.ts');
    return openDisk(config);
  },
  undefined,
  { perRobot: true },
);

/** The state of the robot named in the path; at the host of a fleet, the state of its connection to the broker. */
export const robotStanding: Port<() => RobotStanding> = /* @__PURE__ */ port(
  'robot standing',
  async (ports) => {
    if (ports.config.fleet && !ports.config.inCloud && ports.robotId === undefined) {
      const fleet = await ports.get(robots);
      return () => standingOfFleet(fleet);
    }
    const link = await ports.get(robotLink);
    return () => standingOfRobot(link);
  },
  undefined,
  { perRobot: true, withoutToken: () => () => STANDING_WITHOUT_TOKEN },
);
