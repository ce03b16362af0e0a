import { release } from 'node:os';
import { isAllowed, SYSTEMS } from '../functions/shared/allowed-units.ts';
import { BUILD, VERSION } from '../functions/shared/build-info.ts';
import { leases } from '../functions/shared/control/ports.ts';
import { ServiceError } from '../functions/shared/errors.ts';
import { maskedSettings } from '../functions/shared/observability/masked-settings.ts';
import { metrics } from '../functions/shared/observability/ports.ts';
import type { Ports } from '../functions/shared/port.ts';
import { robotLink } from '../functions/shared/robot-link/ports.ts';
import { runs } from '../functions/shared/runs/ports.ts';
import type { IncidentSources } from '../functions/system/incident/port.ts';
import { serviceManagers } from '../functions/system/services/ports.ts';
import { currentStatus } from '../functions/system/status/current-status.ts';
import { readinessOf } from '../functions/system/status/health.ts';
import { disk, lifecycle, readiness, robotStanding, stopAddresses } from '../functions/system/status/ports.ts';

/** Most entries of one unit, the newest. */
const MAX_LINES = 10_000;
const STATUS_PARTS = { disk, robotStanding, stopAddresses };

/** What this host knows of an incident. */
export function incidentSourcesOf(ports: () => Ports): IncidentSources {
  const config = () => ports().config;
  return {
    documents: [
      {
        path: 'status.json',
        read: async () => currentStatus({ ...(await ports().resolve(STATUS_PARTS)), ...ports() }),
      },
      { path: 'readiness.json', read: () => readinessNow(ports()) },
      { path: 'metrics.txt', read: async () => (await (await ports().get(metrics)).exposition()).text },
      { path: 'catalogue.json', read: async () => [...(await ports().get(robotLink)).catalogue().values()] },
      { path: 'lease.json', read: async () => (await ports().get(leases)).status() },
      { path: 'runs.json', read: async () => (await ports().get(runs)).list().map((run) => run.seenBy(NOBODY)) },
      { path: 'settings.json', read: () => maskedSettings(config()) },
      {
        path: 'versions.json',
        read: () => ({ service: VERSION, build: BUILD, node: process.version, kernel: release() }),
      },
      ...SYSTEMS.map((system) => ({
        path: `clock-${system}.json`,
        read: async (signal: AbortSignal) => {
          const before = Date.now();
          const time = await (await ports().get(serviceManagers)).systems[system].now(signal);
          const middle = (before + Date.now()) / 2;
          return { time: new Date(time).toISOString(), ms_ahead_of_the_service: Math.round(time - middle) };
        },
      })),
    ],
    async units(system, signal) {
      const patterns = config().SERVICE_ALLOWED_UNITS[system];
      if (patterns.length === 0) return [];
      const units = await (await ports().get(serviceManagers)).systems[system].units(patterns, signal);
      return units.map(({ name }) => name).filter((name) => isAllowed(patterns, name));
    },
    isAllowed: (system, unit) => isAllowed(config().SERVICE_ALLOWED_UNITS[system], unit),
    async logs(system, unit, { since, until }, signal) {
      const window = { lines: MAX_LINES, since: since * 1000, until: until * 1000 };
      return (await ports().get(serviceManagers)).systems[system].logs(unit, window, signal);
    },
  };
}

/** Runs are shown as to anybody: their arguments and results belong to who started them. */
const NOBODY = { clientId: '', accessLevel: 'USER' } as const;

async function readinessNow(ports: Ports): Promise<unknown> {
  try {
    return await readinessOf(await ports.get(readiness), await ports.get(lifecycle));
  } catch (error) {
    if (error instanceof ServiceError) return { status: 'not ready', detail: error.message, ...error.members };
    throw error;
  }
}
