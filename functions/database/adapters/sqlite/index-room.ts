import { statSync } from 'node:fs';
import { run } from '../../../shared/kit/child-process/run.ts';
import type { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import { SMALL_DISK_BYTES } from './write-ahead-log.ts';

/** 32 KiB for every 4096 pages in the log: enough for one of 256 MiB. */
const INDEX_BYTES = 544 * 1024;
const TIME_LIMIT_MS = 5_000;
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Disk space for the index of the write-ahead log (`-shm`), which grows while a reader holds the log back: on a full disk a
 * delete would otherwise fail when it has to. Another program sets it aside, because closing the file here would drop
 * SQLite's POSIX locks on it. Without `fallocate`, or on a file system that lacks it, nothing is set aside.
 */
export class IndexRoom {
  readonly #file: string;
  readonly #reserve: DiskReserve;
  readonly #signal: AbortSignal;
  /** What the index had before SQLite, which opens it first, has shortened it. */
  readonly #bytesBefore: number;
  #attempt: Promise<unknown> | undefined;

  /** To be made before the database is opened. */
  constructor(file: string, reserve: DiskReserve, signal: AbortSignal) {
    this.#file = file;
    this.#reserve = reserve;
    this.#signal = signal;
    this.#bytesBefore = Math.min(this.#bytes(), INDEX_BYTES);
  }

  /** Takes back what SQLite has just given up, on a full disk too, and the rest where there is room. */
  async prepare(): Promise<void> {
    if (this.#bytesBefore > this.#bytes()) await this.#allocate(this.#bytesBefore);
    await this.keep();
  }

  /** To be called after each write: at the start there may have been no room. Tried once. */
  async keep(): Promise<void> {
    if (this.#attempt || this.#bytes() >= INDEX_BYTES) return;
    if (!this.#reserve.isKeptOn(this.#file, SMALL_DISK_BYTES) || !this.#reserve.hasRoom(this.#file, INDEX_BYTES))
      return;
    this.#attempt = this.#allocate(INDEX_BYTES);
    await this.#attempt;
  }

  #bytes(): number {
    try {
      return statSync(`${this.#file}-shm`).size;
    } catch {
      return 0; // it does not exist yet, or opening the database will fail with a better message
    }
  }

  async #allocate(bytes: number): Promise<void> {
    const words = ['fallocate', '--length', String(bytes), `${this.#file}-shm`] as const;
    const limits = { environment: { PATH }, signal: this.#signal, timeLimit: TIME_LIMIT_MS };
    await run(words, limits).catch(() => undefined);
  }
}
