import { leases } from '../functions/shared/control/ports.ts';
import { ServiceError } from '../functions/shared/errors.ts';
import type { EventHub } from '../functions/shared/events/hub.ts';
import type { Ports } from '../functions/shared/port.ts';
import { robotLink } from '../functions/shared/robot-link/ports.ts';
import { runs } from '../functions/shared/runs/ports.ts';

/**
 * Finds out whether the robot stands and nobody drives it, for what must not happen meanwhile.
 * @returns refuses with busy, saying what is under way.
 */
export function stillnessOf(hub: EventHub, ports: () => Ports): () => Promise<void> {
  const missions = new Set<string>();
  hub.observe('missions', ({ type, data }) => {
    const { id } = data as { readonly id: string }; // as: every event of this topic has one
    if (/\.(started|progressed)$/.test(type)) missions.add(id);
    else missions.delete(id);
  });
  return async () => {
    const why = await motionUnderWay(ports(), missions.size);
    if (why === undefined) return;
    throw new ServiceError('busy', {
      detail: `${why} Nothing was changed; try again when that has ended.`,
      headers: { 'retry-after': '5' },
    });
  };
}

async function motionUnderWay(ports: Ports, missions: number): Promise<string | undefined> {
  if (ports.config.fleet) return undefined; // its robots have files of their own
  if ((await ports.get(leases)).status().state === 'fresh') return 'Somebody holds the lease and may move the robot.';
  if ((await ports.get(runs)).underWay().length > 0) return 'A skill is running.';
  if (missions > 0) return 'A mission is under way.';
  return (await ports.get(robotLink)).state?.()?.moving ? 'The robot is moving.' : undefined;
}
