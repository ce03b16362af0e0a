import { statSync } from 'node:fs';
import { ServiceError } from '../../../shared/errors.ts';
import { codeOf, isDiskFull } from '../../../shared/kit/error-code.ts';
import type { DiskReserve } from '../../../shared/kit/files/disk-reserve.ts';
import { LogFile, logBytes } from './log-file.ts';
import { MAX_CACHE_BYTES, Session } from './session.ts';

const MIB = 1024 * 1024;
/** From this size on, in bytes, the log is moved into the database and begun anew. */
const FULL_BYTES = 4 * MIB;
/** From this size on, in bytes, the file is shortened. */
const LARGE_BYTES = 16 * MIB;
/** Time after which it is tried again, in ms: a reader may hold the log back. */
const RETRY_MS = 1_000;
/** The least size of the file, where there is room: for the log, and the spare behind it. */
const MIN_BYTES = 7 * MIB;
/** Room that is kept behind the end of the log for deletes, in bytes. */
const SPARE_BYTES = 4 * MIB;
/** With less behind the end of the log than the spare, the log is restarted from this size on, in bytes. */
const SHORT_OF_SPARE_BYTES = MIB / 4;
/** On a smaller file system, in bytes, no spare is set aside. One of a 64 MiB partition has 55 MiB with ext4. */
export const SMALL_DISK_BYTES = 48 * MIB;
/** The headers of the log and of each page in it, in bytes (https://sqlite.org/fileformat2.html#the_write_ahead_log). */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Pages that a row may change beside those that hold it: of the tree, of counters and of the list of free pages. */
const PAGES_BESIDE_A_ROW = 16;
/** The same for each row of an import, where neighbours share them. */
const PAGES_BESIDE_AN_IMPORTED_ROW = 4;
/** What a file system may round up when room moves from one file to another, in bytes. */
const ROUNDING_BYTES = 16 * 1024;

/**
 * Keeps the write-ahead log short but with spare space: long enough that, even on a completely full disk, rows can be
 * deleted and the log can be moved into the database. SQLite by itself keeps appending while reads overlap, and never
 * shrinks the file.
 */
export class LogKeeper {
  readonly #session: Session;
  readonly #file: string;
  readonly #reserve: DiskReserve;
  readonly #logFile: LogFile;
  /** Whether there is a reserve, and so room in the log that is counted. */
  readonly #setsAside: boolean;
  readonly #spareBytes: number;
  readonly #pageBytes: number;
  /** A reading held the log back at the last try: released room would be for another program to take, again and again. */
  #isRead = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(session: Session, file: string, reserve: DiskReserve) {
    this.#session = session;
    this.#file = file;
    this.#reserve = reserve;
    this.#logFile = new LogFile(session, file);
    this.#setsAside = reserve.isKeptOn(file, 0);
    this.#spareBytes = reserve.isKeptOn(file, SMALL_DISK_BYTES) ? SPARE_BYTES : 0;
    this.#pageBytes = this.#session.numberOf('page_size');
    this.keepShort();
  }

  /**
   * Makes sure that a row of so many bytes can be written and, later, moved into the database, without touching what is
   * reserved. Free pages of the database are room as well.
   * @throws BudgetExceeded `storage_full`.
   */
  requireRoomForRow(bytes: number): void {
    try {
      this.#makeRoomForRow(bytes);
    } catch (error) {
      // Of a file that is damaged or gone the write itself tells best.
      if (error instanceof ServiceError || isDiskFull(error)) throw error;
    }
  }

  #makeRoomForRow(bytes: number): void {
    const pages = PAGES_BESIDE_A_ROW + Math.ceil(bytes / (this.#pageBytes - FRAME_HEADER_BYTES));
    const missing = () => {
      const growth = Math.max(0, pages - this.#session.numberOf('freelist_count')) * this.#pageBytes;
      return this.#missing(this.#end() + this.#inFrames(pages), growth);
    };
    if (!this.#reserve.hasRoom(this.#file, missing())) this.restart();
    const bytesMissing = missing();
    if (bytesMissing > 0) this.#reserve.assertRoom(this.#file, bytesMissing);
    if (this.#setsAside) this.#logFile.lengthen(bytesMissing);
  }

  /**
   * The same for an import. To be made before its transaction, and called in it again and again, with the rows and bytes
   * that have been read since.
   * @throws BudgetExceeded `storage_full`, before anything that is reserved was used.
   */
  roomForImport(): (rows: number, bytes: number) => void {
    const end = this.#end();
    const pagesBefore = this.#session.numberOf('page_count');
    let changed = PAGES_BESIDE_A_ROW;
    return (rows, bytes) => {
      const added = this.#session.numberOf('page_count') - pagesBefore;
      changed += PAGES_BESIDE_AN_IMPORTED_ROW * rows + Math.ceil(bytes / this.#pageBytes);
      // What does not fit into the cache has been written.
      const willEnd = Math.min(end + this.#inFrames(added + changed), logBytes(this.#file) + MAX_CACHE_BYTES);
      const missing = this.#missing(willEnd, 0);
      if (missing > 0) this.#reserve.assertRoom(this.#file, missing);
    };
  }

  /** Bytes that the log lacks for a change of this many pages. Call it before the transaction. */
  missingForPages(pages: number): number {
    return this.#missing(this.#end() + this.#inFrames(PAGES_BESIDE_A_ROW + pages), 0);
  }

  /** Runs a write that must work on a full disk: the log is moved into the database and restarted if need be. */
  withRoom<T>(write: () => T): T {
    try {
      return write();
    } catch (error) {
      if (codeOf(error) !== 'SQLITE_FULL') throw error;
      this.restart();
      return write();
    }
  }

  /** Moves the log into the database and begins it anew. @returns whether it did, or something else needs it. */
  restart(): boolean {
    let released = 0;
    try {
      let busy = this.#isRead ? this.#logFile.checkpointUnlessFull() : undefined;
      if (busy === undefined) {
        released = this.#releaseGrowth();
        ({ busy } = this.#logFile.checkpoint('RESTART'));
      }
      this.#isRead = busy !== 0;
      if (busy === 0) {
        this.#session.touch(); // a commit begins the log anew and shortens it (journal_size_limit)
        return true;
      }
    } catch {
      // The disk is full, or the connection has been closed: the next write says so to whom it concerns.
    }
    this.#takeBack(released); // at once, before another program does
    this.#retryLater();
    return false;
  }

  /** Whether the log could not be restarted a moment ago, because a reading holds it back or the disk is full. */
  get isHeldBack(): boolean {
    return this.#retry !== undefined;
  }

  /** To be called after each write. Waits for nobody: what a reading still needs stays until later. */
  keepShort(): void {
    if (!this.#session.isIdle()) return; // an import, say, after which it is called again
    try {
      this.#restoreSpare();
      if (!this.#isLong() || this.isHeldBack) return;
      this.restart();
      this.#restoreSpare();
    } catch {
      this.#retryLater(); // another program writes, or has just filled the disk: the log is as long as it is
    }
  }

  /**
   * Closes the session. Everything is in the one file then, which can be copied. Where room is set aside, an empty log
   * stays beside it with this room: without it a database on a full disk could not even be read.
   */
  close(): void {
    clearTimeout(this.#retry);
    let last: Session | undefined;
    try {
      if (this.#spareBytes > 0) {
        // The last connection removes the log, unless it only reads.
        last = Session.reading(this.#file);
        last.database.pragma('schema_version');
        this.#releaseGrowth();
        this.#logFile.empty(MIN_BYTES, () => this.#logFile.checkpoint('RESTART').busy === 0);
        this.#restoreSpare();
      }
    } catch {
      // The log goes, or stays as it is.
    } finally {
      this.#session.close();
      last?.close();
    }
  }

  #isLong(): boolean {
    const end = this.#end();
    if (end >= FULL_BYTES || logBytes(this.#file) >= LARGE_BYTES) return true;
    return this.#spareBytes > 0 && end >= SHORT_OF_SPARE_BYTES && this.#missing(end, 0) > 0;
  }

  #retryLater(): void {
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.keepShort();
    }, RETRY_MS).unref();
  }

  /** Bytes that are missing behind the log, when it ends there and the database grows by so much more. */
  #missing(end: number, growth: number): number {
    return Math.max(0, end + this.#pendingGrowth() + growth + this.#spareBytes - logBytes(this.#file));
  }

  /** Bytes by which the database file will grow when the log is moved into it. */
  #pendingGrowth(): number {
    return Math.max(
      0,
      this.#session.numberOf('page_count') * this.#pageBytes -
        (statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0),
    );
  }

  #end(): number {
    return LOG_HEADER_BYTES + this.#inFrames(this.#logFile.checkpoint('NOOP').log);
  }

  #inFrames(pages: number): number {
    return pages * (this.#pageBytes + FRAME_HEADER_BYTES);
  }

  /** Makes the log as long as it has to be. The spare may use half of what is reserved; the rest is for others. */
  #restoreSpare(): void {
    if (this.#spareBytes === 0) return;
    const wanted = MIN_BYTES - logBytes(this.#file);
    if (wanted > 0 && this.#reserve.hasRoom(this.#file, wanted)) this.#logFile.lengthen(wanted);
    const needed = this.#missing(this.#end(), 0);
    if (needed > 0) this.#logFile.lengthen(Math.min(needed, this.#reserve.freeBeyondHalf(this.#file)));
  }

  /** Gives the database the room that the log has held for it, where there is no other. @returns its bytes. */
  #releaseGrowth(): number {
    const growth = this.#pendingGrowth();
    if (!this.#setsAside || this.#reserve.hasRoom(this.#file, growth)) return 0;
    return this.#logFile.shorten(growth + ROUNDING_BYTES, () => this.#end());
  }

  /** What the database did not take of released room is the log's again: deletes need it. */
  #takeBack(released: number): void {
    try {
      this.#logFile.lengthen(released);
    } catch {
      // The database has taken some of it.
    }
  }
}
