import { unavailable } from '../../shared/errors.ts';
import { type Port, port } from '../../shared/port.ts';
import type { DatabaseFiles, RobotArchives } from './port.ts';

/** Opens the robot's database as a file; provided by the host. */
export const robotDatabase: Port<() => Promise<DatabaseFiles>> = /* @__PURE__ */ port('robot database', () => {
  throw unavailable('backup', 'It is only available on the robot itself.');
});

/** The whole robot in one file. */
export const robotArchives: Port<RobotArchives> = /* @__PURE__ */ port('robot archives', async (ports) => {
  const { LocalArchives } = await import('./adapters/archives.ts');
  const { config, clock } = ports;
  return new LocalArchives({ config, clock, database: await ports.get(robotDatabase) });
});
