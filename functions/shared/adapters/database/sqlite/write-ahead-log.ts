import { statSync } from 'node:fs';
import type { Session } from './session.ts';

/** From this size on, in bytes, the log is brought into the database as a whole and emptied. */
const LARGE_BYTES = 16 * 1024 * 1024;
/** A reader that holds the log back is not asked again sooner than this. */
const RETRY_MS = 1_000;

export function logBytes(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Keeps the write-ahead log short. SQLite by itself goes on at its end as long as one reading overlaps the next, and
 * leaves the file as large as it has ever been.
 */
export class LogKeeper {
  readonly #session: Session;
  readonly #file: string;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(session: Session, file: string) {
    this.#session = session;
    this.#file = file;
  }

  /** To be called after each write. Waits for nobody: what a reading still needs stays until a later call. */
  keepShort(): void {
    const now = performance.now();
    if (now - this.#triedAt < RETRY_MS || logBytes(this.#file) < LARGE_BYTES) return;
    this.#triedAt = now;
    try {
      this.#session.withoutWaiting((database) => database.pragma('wal_checkpoint(TRUNCATE)'));
    } catch {
      // The disk is full, or the connection has been closed: the next write says so to whom it concerns.
    }
  }
}
