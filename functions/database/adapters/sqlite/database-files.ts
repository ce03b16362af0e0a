import type { DatabaseFiles } from '../../database-files.port.ts';
import type { HeldDatabase, RobotDatabase } from '../../port.ts';
import { assertSound, CHECK_MS } from './assert-sound.ts';
import type { ReaderJobs } from './jobs.ts';
import { SCHEMA_VERSION } from './migrate.ts';
import { ThreadClient } from './thread-client.ts';
import type { Storage } from './thread-protocol.ts';

/** Copies of the database file, each made by a thread of its own, so that nobody who reads a table waits for it. */
export class SqliteFiles implements DatabaseFiles {
  readonly schemaVersion = SCHEMA_VERSION;
  readonly #storage: Storage;
  readonly #database: Pick<RobotDatabase, 'counts' | 'hold'>;

  /** @param database the one that is open: it has made and migrated the file. */
  constructor(storage: Storage, database: Pick<RobotDatabase, 'counts' | 'hold'>) {
    this.#storage = storage;
    this.#database = database;
  }

  get file(): string {
    return this.#storage.file;
  }

  async copyTo(path: string): Promise<void> {
    await this.#database.counts(); // says why, when it cannot be opened
    const thread = new ThreadClient<ReaderJobs>({ role: 'reader', storage: this.#storage });
    try {
      await thread.call('copyOwn', path);
    } finally {
      await thread.close();
    }
  }

  assertSound(path: string, signal: AbortSignal): Promise<void> {
    return assertSound(path, signal, CHECK_MS);
  }

  hold<T>(work: (database: HeldDatabase) => Promise<T>): Promise<T> {
    return this.#database.hold(work);
  }
}
