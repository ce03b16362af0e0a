import { ftruncateSync, statSync, writeSync } from 'node:fs';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { withFile } from '../../../shared/kit/files/with-file.ts';
import type { Session } from './session.ts';

const ZEROS = Buffer.alloc(1024 * 1024);

/** Size of a database's write-ahead log in bytes; 0 if it does not exist. */
export function logBytes(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** The file of the write-ahead log. It is only changed while nobody else writes. */
export class LogFile {
  readonly #session: Session;
  readonly #file: string;

  constructor(session: Session, file: string) {
    this.#session = session;
    this.#file = file;
  }

  /**
   * Appends zeros, which SQLite takes for what an older log has left behind
   * (https://sqlite.org/fileformat2.html#the_write_ahead_log). On a full disk it has grown by what there was.
   */
  lengthen(bytes: number): void {
    if (bytes <= 0) return;
    this.#change((descriptor, size) => writeZeros(descriptor, size, bytes));
  }

  /** Cuts bytes off, but nothing before `endOf()`, where the log ends. @returns how many. */
  shorten(bytes: number, endOf: () => number): number {
    let released = 0;
    this.#changeUnlessWritten(endOf, (end, descriptor, size) => {
      released = Math.max(0, Math.min(bytes, size - end));
      ftruncateSync(descriptor, size - released);
    });
    return released;
  }

  /**
   * Overwrites the log with zeros, which is an empty one, and keeps so many bytes of it: on a full disk truncating it would
   * give its room to other programs. `checkpoint()` moves it into the database, and says whether nobody reads from it.
   */
  empty(keptBytes: number, checkpoint: () => boolean): void {
    this.#changeUnlessWritten(checkpoint, (done, descriptor, size) => {
      if (!done) return;
      const kept = Math.min(size, keptBytes);
      writeZeros(descriptor, 0, kept); // from the header on: without it what follows counts for nothing
      ftruncateSync(descriptor, kept);
    });
  }

  /** Moves what it can into the database; waits for nobody. `log`: pages in the log. */
  checkpoint(mode: 'NOOP' | 'RESTART'): { busy: number; log: number } {
    let rows: unknown;
    this.#session.withoutWaiting((database) => {
      rows = database.pragma(`wal_checkpoint(${mode})`);
    });
    const [row] = rows as Array<{ busy: number; log: number }>; // as: https://sqlite.org/pragma.html#pragma_wal_checkpoint
    return { busy: row?.busy ?? 1, log: Math.max(0, row?.log ?? 0) };
  }

  /** Moves the log into the database. @returns 1 if something else still needs it, 0; undefined if the disk is full. */
  checkpointUnlessFull(): number | undefined {
    try {
      return this.checkpoint('RESTART').busy;
    } catch (error) {
      if (codeOf(error) !== 'SQLITE_FULL') throw error;
      return undefined;
    }
  }

  /** Changes the file after a look at the log, unless another program has written in between. */
  #changeUnlessWritten<T>(look: () => T, change: (seen: T, descriptor: number, size: number) => void): void {
    const version = this.#session.numberOf('data_version');
    const seen = look();
    this.#change((descriptor, size) => {
      if (this.#session.numberOf('data_version') === version) change(seen, descriptor, size);
    });
  }

  #change(change: (descriptor: number, size: number) => void): void {
    this.#session.database.exec('BEGIN IMMEDIATE');
    try {
      withFile(`${this.#file}-wal`, 'r+', (descriptor) => change(descriptor, logBytes(this.#file)));
    } finally {
      if (this.#session.database.inTransaction) this.#session.database.exec('COMMIT');
    }
  }
}

function writeZeros(descriptor: number, at: number, bytes: number): void {
  for (let done = 0; done < bytes; ) {
    done += writeSync(descriptor, ZEROS, 0, Math.min(bytes - done, ZEROS.length), at + done);
  }
}
