import { refusals } from '../shared/observability/ports.ts';
import { type Port, port } from '../shared/port.ts';
import type { RobotDatabase } from './port.ts';

/** The robot's database, at SERVICE_DATABASE_URL. */
export const database: Port<RobotDatabase> = /* @__PURE__ */ port(
  'database',
  async (ports) => {
    const { openDatabase } = await import('./adapters/open.ts');
    const { config, logger, clock } = ports;
    return openDatabase(config, logger, clock, await ports.get(refusals));
  },
  (database) => database.close(),
);
