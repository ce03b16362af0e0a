import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import { Refusals } from '../../refusals.ts';
import { NO_METRICS } from '../metrics/port.ts';
import type { RobotDatabase } from './port.ts';
import { SqliteDatabase } from './sqlite/database.ts';

const SQLITE = 'sqlite:///';

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
  await database.open().catch(() => {}); // it has been logged, and problem() tells it
  return database;
}

function storageOf(config: Config) {
  return {
    file: config.SERVICE_DATABASE_URL.slice(SQLITE.length),
    backupDir: join(config.SERVICE_DATA_DIR, 'backups'),
    exportDir: config.SERVICE_EXPORT_DIR,
    backupMaxBytes: config.SERVICE_BACKUP_MAX_BYTES,
  };
}
