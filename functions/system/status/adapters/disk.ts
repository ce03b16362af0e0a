import { statfsSync } from 'node:fs';
import type { Config } from '../../../shared/config.ts';
import { storageProblem } from '../../../shared/kit/files/folder-problem.ts';
import type { Disk } from '../disk.port.ts';

/** The disk of SERVICE_DATA_DIR. */
export function openDisk(config: Config): Disk {
  return {
    usage() {
      try {
        const { bavail, blocks, bsize } = statfsSync(config.SERVICE_DATA_DIR);
        return {
          free_bytes: bavail * bsize,
          total_bytes: blocks * bsize,
          ok: storageProblem(config) === undefined,
        };
      } catch {
        return undefined; // gone with its disk, for instance: readiness says so
      }
    },
  };
}
