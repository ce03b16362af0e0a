import { type StatsFs, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { BudgetExceeded } from '../../observability/budget-exceeded.ts';
import { codeOf } from '../error-code.ts';

const MIB = 1024 * 1024;
/** What is kept free by default, in bytes; of a small file system the share that ext4 reserves as well. */
const DEFAULT_BYTES = 256 * MIB;
const DEFAULT_SHARE = 1 / 20;

interface Room {
  readonly free: number;
  /** Bytes that nothing which adds data may use. */
  readonly kept: number;
}

/**
 * The part of each file system that nothing which adds data may use, so that there is room for what must always go on:
 * stop, the numbers of the fence, the audit trail, deleting, and revoking keys.
 */
export class DiskReserve {
  readonly #minFree: number | undefined;

  /** @param minFree bytes (SERVICE_MIN_FREE); 0 keeps none. Undefined: 256 MiB, or a twentieth of a smaller file system. */
  constructor(minFree: number | undefined) {
    this.#minFree = minFree;
  }

  /**
   * To be called before data is added below `path`, which need not exist. `bytes`: how many may be added.
   * @throws BudgetExceeded `storage_full`, saying how much is free and what to do.
   */
  assertRoom(path: string, bytes = 0): void {
    const { free, kept } = this.#roomAt(path);
    if (kept === 0 || free - bytes >= kept) return;
    const needed = bytes > 0 ? `this needs ${inMib(bytes)}, ` : '';
    throw new BudgetExceeded('storage', 'storage_full', {
      detail: `The disk has ${inMib(free)} free, ${needed}and the last ${inMib(kept)} are reserved (SERVICE_MIN_FREE). Nothing was changed. Delete rows, exports, skills or other files that are not needed, or lower the setting. Deleting, reading and stop still work.`,
    });
  }

  /** Whether so many bytes can be added without touching the reserve. None can always be. */
  hasRoom(path: string, bytes: number): boolean {
    const { free, kept } = this.#roomAt(path);
    return bytes === 0 || kept === 0 || free - bytes >= kept;
  }

  /** Whether there is a reserve at all, on a disk of at least so many bytes. */
  isKeptOn(path: string, diskBytes: number): boolean {
    const { blocks, bsize } = statfsOf(path);
    return this.#roomAt(path).kept > 0 && blocks * bsize >= diskBytes;
  }

  /** Bytes that can be added before half of the reserve has been used, for what it is there for. */
  freeBeyondHalf(path: string): number {
    const { free, kept } = this.#roomAt(path);
    return Math.max(0, free - kept / 2);
  }

  /** Whether less than twice the reserve is free. */
  isShort(path: string): boolean {
    const { free, kept } = this.#roomAt(path);
    return free < 2 * kept;
  }

  /** Why data cannot be added below one of these paths, or undefined. */
  problem(paths: readonly string[]): string | undefined {
    for (const path of paths) {
      const { free, kept } = this.#roomAt(path);
      if (kept > 0 && free < kept) return `${path}: ${inMib(free)} free, ${inMib(kept)} reserved`;
    }
    return undefined;
  }

  #roomAt(path: string): Room {
    const { bavail, blocks, bsize } = statfsOf(path);
    return { free: bavail * bsize, kept: this.#minFree ?? Math.min(DEFAULT_BYTES, blocks * bsize * DEFAULT_SHARE) };
  }
}

/** Of the nearest folder that exists. */
function statfsOf(path: string): StatsFs {
  try {
    return statfsSync(path);
  } catch (error) {
    const parent = dirname(path);
    if (codeOf(error) !== 'ENOENT' || parent === path) throw error;
    return statfsOf(parent);
  }
}

function inMib(bytes: number): string {
  return `${(bytes / MIB).toFixed(bytes < 10 * MIB ? 2 : 0)} MiB`;
}
