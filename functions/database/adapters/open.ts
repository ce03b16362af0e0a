import { join } from 'node:path';
import { type Config, databaseFile } from '../../shared/config.ts';
import type { Logger } from '../../shared/observability/logger.ts';
import { NO_METRICS } from '../../shared/observability/metrics.port.ts';
import { Refusals } from '../../shared/observability/refusals.ts';
import type { DatabaseFiles } from '../database-files.port.ts';
import type { RobotDatabase } from '../port.ts';
import type { SnapshotFiles } from '../snapshot-files.port.ts';
import { SqliteDatabase } from './sqlite/database.ts';
import { SqliteFiles } from './sqlite/database-files.ts';
import { SnapshotFolder } from './sqlite/snapshot-folder.ts';

/**
 * The database of SERVICE_DATABASE_URL. One that does not open is handed out all the same: its operations answer
 * component_unavailable and try again, while the rest of the service goes on.
 */
export async function openDatabase(
  config: Config,
  logger: Logger,
  clock: () => number,
  refusals = new Refusals(NO_METRICS, logger, clock),
): Promise<RobotDatabase> {
  const database = new SqliteDatabase(config.SERVICE_DATABASE_URL, storageOf(config), { logger, clock, refusals });
  await database.open().catch(() => {}); // it has been logged, and problem() reports it
  return database;
}

/** The snapshots that the database of SERVICE_DATABASE_URL takes, as files. */
export function openSnapshotFiles(config: Config, clock: () => number): SnapshotFiles {
  return new SnapshotFolder(storageOf(config), clock);
}

/** The same database as a file that can be taken elsewhere. */
export function openDatabaseFiles(config: Config, database: RobotDatabase): DatabaseFiles {
  return new SqliteFiles(storageOf(config), database);
}

function storageOf(config: Config) {
  return {
    file: databaseFile(config),
    backupDir: join(config.SERVICE_DATA_DIR, 'backups'),
    exportDir: config.SERVICE_EXPORT_DIR,
    exportMaxBytes: config.SERVICE_EXPORT_MAX_BYTES,
    backupMaxBytes: config.SERVICE_BACKUP_MAX_BYTES,
    minFree: config.SERVICE_MIN_FREE,
  };
}
