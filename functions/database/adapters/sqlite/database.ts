import { basename, dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { ServiceError, unavailable } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/observability/logger.ts';
import type { Refusals } from '../../../shared/observability/refusals.ts';
import type { RowKey, StoredRow } from '../../column.ts';
import type {
  Cleared,
  ExportedFile,
  Exports,
  HeldDatabase,
  Page,
  Requester,
  Restored,
  RobotDatabase,
  RowStream,
  Selection,
  Snapshot,
  Transferred,
  Uploaded,
} from '../../port.ts';
import type { TableName } from '../../tables.ts';
import { named } from './failure.ts';
import type { ReaderJobs, WriterJobs } from './jobs.ts';
import { TransferQueue, WriteQueue } from './queues.ts';
import type { RowForm } from './row-format.ts';
import { streamRows } from './row-stream.ts';
import { readRow } from './rows.ts';
import { Session } from './session.ts';
import { ThreadClient } from './thread-client.ts';
import type { Storage } from './thread-protocol.ts';
import { Uploads } from './uploads.ts';

/** Least time between two attempts to open the database, in ms. */
const RETRY_MS = 5_000;

export interface DatabaseWorld {
  readonly logger: Logger;
  readonly clock: () => number;
  readonly refusals: Refusals;
}

/**
 * The database over SQLite. One thread writes, one reads tables and exports; only single rows are read right here, by
 * their key, which takes microseconds beside any write.
 */
export class SqliteDatabase implements RobotDatabase {
  readonly url: string;
  readonly #clock: () => number;
  readonly #logger: Logger;
  readonly #refusals: Refusals;
  readonly #storage: Storage;
  readonly #writer: ThreadClient<WriterJobs>;
  readonly #reader: ThreadClient<ReaderJobs>;
  readonly #writes = new WriteQueue();
  readonly #transfers = new TransferQueue();
  readonly #uploads: Uploads;
  isNew = false;
  writes = 0;
  #session: Session | undefined;
  #opening: Promise<Session> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #problem: { readonly error: Error; readonly at: number } | undefined;

  constructor(url: string, storage: Storage, { logger, clock, refusals }: DatabaseWorld) {
    this.url = url;
    this.#storage = storage;
    this.#uploads = new Uploads(storage);
    this.#logger = logger;
    this.#refusals = refusals;
    this.#clock = clock;
    this.#writer = new ThreadClient({ role: 'writer', storage });
    this.#reader = new ThreadClient({ role: 'reader', storage });
  }

  readRows(table: TableName, page: Page, requester: Requester): Promise<RowStream> {
    return this.#readStream(table, page, requester, 'json');
  }

  async #readStream(table: TableName, page: Page, requester: Requester, form: RowForm): Promise<RowStream> {
    await this.open();
    return streamRows(this.#reader, table, page, requester, form).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code === 'busy') {
        this.#refusals.note('readings', 'Refused to read another table', { owner: requester.owner });
      }
      throw error;
    });
  }

  async readCsv(table: TableName, requester: Requester): Promise<RowStream> {
    return this.#readStream(table, {}, requester, 'csv');
  }

  counts(): Promise<Readonly<Record<string, number>>> {
    return this.open().then(() => this.#reader.call('counts'));
  }

  async readRow(table: TableName, key: RowKey): Promise<StoredRow | undefined> {
    const session = this.#session ?? (await this.open());
    try {
      return readRow(session, table, key);
    } catch (error) {
      throw named(error);
    }
  }

  insert(table: TableName, row: StoredRow): Promise<StoredRow> {
    return this.#write('insert', table, row);
  }

  update(table: TableName, key: RowKey, changes: StoredRow): Promise<StoredRow | undefined> {
    return this.#write('update', table, key, changes);
  }

  remove(table: TableName, key: RowKey): Promise<StoredRow | undefined> {
    return this.#write('remove', table, key);
  }

  async clear(selection: Selection): Promise<Cleared> {
    const cleared = await this.#write('clear', selection, this.#clock());
    this.#logger.warn({ ...cleared }, 'database cleared');
    return cleared;
  }

  exportTables(selection: Selection, path: string, requester: Requester): Promise<Transferred[]> {
    const work = () => this.open().then(() => this.#reader.call('exportTables', selection, path));
    return this.#transfers.run('An export', requester, work);
  }

  exports(): Promise<Exports> {
    return this.open().then(() => this.#reader.call('exports'));
  }

  removeExport(path: string): Promise<ExportedFile> {
    return this.open().then(() => this.#reader.call('removeExport', path));
  }

  importTables(selection: Selection, path: string, requester: Requester): Promise<Transferred[]> {
    return this.#transfers.run('An import', requester, () => this.#write('importTables', selection, path));
  }

  async uploadCsv(
    table: TableName,
    file: Readable,
    { dryRun, ...requester }: Requester & { readonly dryRun: boolean },
  ): Promise<Uploaded> {
    await this.open();
    return this.#uploads.run(file, requester, (path) =>
      this.#transfers.run('An import', requester, () =>
        this.#write('importUpload', table, path, dryRun, this.#clock()),
      ),
    );
  }

  snapshots(): Promise<Snapshot[]> {
    return this.open().then(() => this.#reader.call('snapshots'));
  }

  snapshot(): Promise<string> {
    return this.#write('snapshot', this.#clock());
  }

  async restore(name: string, requester: Requester): Promise<Restored> {
    const work = () => this.#write('restore', name, this.#clock());
    const restored = await this.#transfers.run('A restore', requester, work);
    this.#logger.warn({ restored: name, ...restored }, 'database restored');
    return restored;
  }

  async hold<T>(work: (database: HeldDatabase) => Promise<T>): Promise<T> {
    await this.open();
    const held: HeldDatabase = {
      rehearse: (file) => this.#writer.call('rehearse', file),
      takeIn: () => this.#writer.call('takeIn'),
    };
    return this.#writes.run(() => work(held)).finally(() => this.#changed());
  }

  problem(): string | undefined {
    return this.#problem?.error.message;
  }

  /** Opens, checks and migrates the database. Error: component_unavailable, saying what to do. */
  async open(): Promise<Session> {
    if (this.#session) return this.#session;
    if (this.#problem && this.#clock() - this.#problem.at < RETRY_MS) throw this.#problem.error;
    return this.#openOnce();
  }

  #openOnce(): Promise<Session> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(): Promise<Session> {
    try {
      await this.#writer.open();
      const migrated = await this.#writer.call('migrated');
      this.isNew = migrated?.from === 0 && migrated.snapshot === null;
      if (migrated?.adopted) this.#logger.warn({ ...migrated }, 'database without a schema version adopted');
      else if (migrated?.snapshot) this.#logger.info({ ...migrated }, 'database migrated to a newer schema');
      this.#session = Session.reading(this.#storage.file, 50);
      this.#problem = undefined;
      return this.#session;
    } catch (cause) {
      const known = named(cause);
      const isKnown = known instanceof Error && 'status' in known;
      const error = isKnown ? known : unavailable('database', 'It does not open; the log has the cause.', cause);
      this.#logger.error(
        { err: error.cause ?? error, file: basename(this.#storage.file), folder: dirname(this.#storage.file) },
        error.message,
      );
      this.#problem = { error, at: this.#clock() };
      if (error instanceof ServiceError && error.code === 'storage_full') this.#retryLater();
      throw error;
    }
  }

  /** A full disk gets room again without a request that would try. */
  #retryLater(): void {
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      if (!this.#session) this.#openOnce().catch(() => {}); // it has been logged
    }, RETRY_MS).unref();
  }

  /** The writing connection goes last: only then SQLite brings everything into the one file, which can be copied. */
  async close(): Promise<void> {
    clearTimeout(this.#retry);
    await this.#opening?.catch(() => {});
    this.#session?.close();
    this.#session = undefined;
    await this.#reader.close();
    await this.#writer.close();
  }

  #changed(): void {
    this.writes += 1;
  }

  async #write<K extends keyof WriterJobs>(
    job: K,
    ...args: Parameters<WriterJobs[K]>
  ): Promise<Awaited<ReturnType<WriterJobs[K]>>> {
    await this.open();
    return this.#writes.run(() => this.#writer.call(job, ...args)).finally(() => this.#changed());
  }
}
