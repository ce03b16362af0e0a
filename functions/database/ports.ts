import { refusals } from '../shared/observability/ports.ts';
import { type Port, port } from '../shared/port.ts';
import type { DatabaseFiles } from './database-files.port.ts';
import type { RobotDatabase } from './port.ts';
import type { SnapshotFiles } from './snapshot-files.port.ts';

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

/** The snapshots in the folder `backups` of the data folder. */
export const snapshotFiles: Port<SnapshotFiles> = /* @__PURE__ */ port('snapshot files', async ({ config, clock }) => {
  const { openSnapshotFiles } = await import('./adapters/open.ts');
  return openSnapshotFiles(config, clock);
});

/** The database as one file, for a backup of the whole robot. */
export const databaseFiles: Port<DatabaseFiles> = /* @__PURE__ */ port('database files', async (ports) => {
  const { openDatabaseFiles } = await import('./adapters/open.ts');
  return openDatabaseFiles(ports.config, await ports.get(database));
});
