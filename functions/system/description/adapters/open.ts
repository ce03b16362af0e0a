import type { Config } from '../../../shared/config.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import { STAGED, sweep } from '../../../shared/kit/files/leftovers.ts';
import { seed } from '../../../shared/kit/starter-robot.ts';
import { WriteGate } from '../../../shared/kit/write-gate.ts';
import type { Logger } from '../../../shared/observability/logger.ts';
import type { DescriptionFiles } from '../port.ts';
import { DescriptionFolder } from './folder.ts';

/** Opens the folder at SERVICE_DESCRIPTION_DIR; in sim mode a starter robot is put there if it does not exist. */
export async function openDescriptionFiles(
  config: Config,
  logger: Logger,
  gate = new WriteGate(),
): Promise<DescriptionFiles> {
  await seed(config, 'description', config.SERVICE_DESCRIPTION_DIR).catch((error: unknown) => {
    logger.warn({ err: error }, 'could not create the starter robot');
  });
  try {
    sweep(config.SERVICE_DESCRIPTION_DIR, STAGED);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') logger.warn({ err: error }, 'could not remove leftovers of interrupted uploads');
  }
  return new DescriptionFolder(config.SERVICE_DESCRIPTION_DIR, new DiskReserve(config.SERVICE_MIN_FREE), gate);
}
