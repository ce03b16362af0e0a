import type { DiskReserve } from './disk-reserve.ts';

/** How often it is checked that the disk has room for more, in bytes. */
const CHECK_BYTES = 1024 * 1024;

/** Watches the room on a disk while a file of unknown length arrives. */
export class ArrivingBytes {
  readonly #reserve: DiskReserve;
  readonly #folder: string;
  #unchecked = 0;

  /** @throws BudgetExceeded `storage_full` where nothing may be added at all. */
  constructor(reserve: DiskReserve, folder: string) {
    this.#reserve = reserve;
    this.#folder = folder;
    reserve.assertRoom(folder);
  }

  /** To be called before so many bytes are written. @throws BudgetExceeded `storage_full`. */
  add(bytes: number): void {
    this.#unchecked += bytes;
    if (this.#unchecked < CHECK_BYTES) return;
    this.#unchecked = 0;
    this.#reserve.assertRoom(this.#folder, CHECK_BYTES);
  }
}
