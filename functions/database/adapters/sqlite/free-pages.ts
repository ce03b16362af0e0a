import type { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import { sizeOf } from './clear.ts';
import type { Session } from './session.ts';
import type { LogKeeper } from './write-ahead-log.ts';

const MIB = 1024 * 1024;
/** Free pages that stay in the database for the next rows, in bytes. */
const KEPT_BYTES = 4 * MIB;
/** Pages of one step: what it writes fits into the spare of the log. */
const STEP_PAGES = 256;
/** Between two steps other writes have their turn, in ms. */
const PAUSE_MS = 10;
/** The same while a reading holds the log back, in ms. */
const HELD_BACK_MS = 1_000;
/** A larger database is not rewritten, which would hold up the start. */
const MAX_REWRITTEN_BYTES = 64 * MIB;
/** Beside the database: a temporary copy, and the log. */
const REWRITE_FACTOR = 3;
const INCREMENTAL = 2;

/**
 * Gives the pages that deleted rows leave behind back to the disk when that is short, in small steps. A database can when
 * it was made by this release or rewritten by it; in any other they are room for rows only.
 */
export class FreePages {
  readonly #session: Session;
  readonly #file: string;
  readonly #reserve: DiskReserve;
  readonly #log: LogKeeper;
  #next: NodeJS.Timeout | undefined;

  constructor(session: Session, file: string, reserve: DiskReserve, log: LogKeeper) {
    this.#session = session;
    this.#file = file;
    this.#reserve = reserve;
    this.#log = log;
  }

  /** Rewrites a database of an older release, once, where it is small and there is plenty of room. */
  prepare(): void {
    const bytes = sizeOf(this.#session);
    if (this.#canShrink() || bytes > MAX_REWRITTEN_BYTES) return;
    if (!this.#reserve.hasRoom(this.#file, REWRITE_FACTOR * bytes)) return;
    try {
      this.#session.letShrink();
      this.#session.withoutWaiting((database) => database.exec('VACUUM'));
      this.#log.restart();
    } catch {
      // Another program has it open, or there is no room for temporary files: it is tried at the next start.
    }
  }

  /** To be called after each write. */
  giveBack(): void {
    if (this.#next || !this.#session.isIdle()) return;
    try {
      if (!this.#step()) return;
    } catch {
      return; // another program writes: a later write tries again
    }
    const pause = this.#log.isHeldBack ? HELD_BACK_MS : PAUSE_MS;
    this.#next = setTimeout(() => {
      this.#next = undefined;
      this.giveBack();
    }, pause).unref();
  }

  /** @returns whether there may be more to give back. */
  #step(): boolean {
    const free = this.#session.numberOf('freelist_count');
    if (free * this.#pageBytes() <= KEPT_BYTES || !this.#reserve.isShort(this.#file) || !this.#canShrink())
      return false;
    // A step takes the spare of the log, which belongs to deletes while a reading holds the log back.
    if (this.#log.isHeldBack || !this.#log.restart()) return true;
    this.#session.withoutWaiting((database) => database.exec(`PRAGMA incremental_vacuum(${STEP_PAGES})`));
    this.#log.restart(); // the file becomes shorter when the log is moved into it
    return this.#session.numberOf('freelist_count') < free;
  }

  close(): void {
    clearTimeout(this.#next);
  }

  #canShrink(): boolean {
    return this.#session.numberOf('auto_vacuum') === INCREMENTAL;
  }

  #pageBytes(): number {
    return this.#session.numberOf('page_size');
  }
}
