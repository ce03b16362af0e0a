import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makePrivateFolder } from '../../../kit/files/replace-file.ts';
import type { AuditEntry, AuditFilter, AuditPage, AuditTrail } from '../../audit-trail.port.ts';
import type { Logger } from '../../logger.ts';
import { pageOf } from './page.ts';

/** How much is kept. */
export interface Series {
  /** Size at which a file is set aside. */
  readonly fileBytes: number;
  /** Files set aside that are kept. */
  readonly keptFiles: number;
  /** Age at which a file set aside goes, in ms; undefined: only size counts. */
  readonly keptMs?: number;
}

/** 20 MiB in all. */
const EVERYDAY: Series = { fileBytes: 1024 * 1024, keptFiles: 19 };

interface OpenFile {
  readonly handle: FileHandle;
  size: number;
}

/** Entries kept in memory while the disk takes none; the oldest are dropped first. */
const MAX_WAITING = 10_000;

/**
 * JSON lines in one file, 0600, set aside as `.1`, `.2`, … when it has grown; the oldest goes. Entries are written in
 * bundles, in their order. A line that a crash has cut off is skipped when reading and ended when writing goes on.
 */
export class AuditFile implements AuditTrail {
  readonly #path: string;
  readonly #logger: Logger;
  readonly #series: Series;
  #waiting: AuditEntry[] = [];
  #writing: Promise<void> | undefined;
  #problem: string | undefined;
  #open: OpenFile | undefined;

  constructor(path: string, logger: Logger, series: Series = EVERYDAY) {
    this.#path = path;
    this.#logger = logger;
    this.#series = series;
  }

  append(entry: AuditEntry): void {
    this.#waiting.push(entry);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    this.#writeOn();
  }

  read(filter: AuditFilter): Promise<AuditPage> {
    return pageOf(this.newestFirst(), filter);
  }

  async *newestFirst(): AsyncGenerator<AuditEntry> {
    await this.#settled();
    for (let index = 0; index <= this.#series.keptFiles; index += 1) {
      const text = await readFile(this.#file(index), 'utf8').catch(() => '');
      for (const line of text.split('\n').reverse()) {
        const entry = parseLine(line);
        if (entry) yield entry;
      }
    }
  }

  problem(): string | undefined {
    return this.#problem;
  }

  async close(): Promise<void> {
    await this.#settled();
  }

  /** Writes what waits unless that is going on; what came in while the file was being closed is not left lying. */
  #writeOn(): void {
    if (this.#writing || this.#waiting.length === 0) return;
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined;
      if (this.#problem === undefined) this.#writeOn();
    });
  }

  async #settled(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #write(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.#writeBundle();
    } catch (error) {
      if (this.#problem === undefined) this.#logger.error({ err: error }, 'the audit trail cannot be written');
      this.#problem = 'the audit trail cannot be written';
    }
    await this.#closeFile().catch(() => undefined);
  }

  async #writeBundle(): Promise<void> {
    const bundle = this.#waiting;
    this.#waiting = [];
    try {
      await this.#put(bundle.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    } catch (error) {
      this.#waiting = [...bundle, ...this.#waiting].slice(-MAX_WAITING);
      throw error;
    }
    await this.#rotateWhenFull();
    this.#problem = undefined;
  }

  async #put(text: string): Promise<void> {
    this.#open ??= await this.#openFile();
    const file = this.#open;
    await file.handle.appendFile(text);
    file.size += Buffer.byteLength(text);
    await file.handle.datasync();
  }

  /** Opens the file for good and ends a line that a crash has cut off. */
  async #openFile(): Promise<OpenFile> {
    makePrivateFolder(dirname(this.#path));
    const handle = await open(this.#path, 'a+', 0o600);
    try {
      const { size } = await handle.stat();
      const last = size === 0 ? 0x0a : (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0];
      if (last !== 0x0a) await handle.appendFile('\n');
      return { handle, size };
    } catch (error) {
      await handle.close(); // a full disk cuts lines off, and takes no line break either
      throw error;
    }
  }

  async #closeFile(): Promise<void> {
    const file = this.#open;
    this.#open = undefined;
    await file?.handle.close();
  }

  async #rotateWhenFull(): Promise<void> {
    if (this.#open === undefined || this.#open.size < this.#series.fileBytes) return;
    await this.#closeFile();
    const { keptFiles } = this.#series;
    await rm(this.#file(keptFiles), { force: true });
    for (let index = keptFiles - 1; index >= 0; index -= 1) {
      await rename(this.#file(index), this.#file(index + 1)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
    }
    await this.#removeOld();
  }

  async #removeOld(): Promise<void> {
    const { keptFiles, keptMs = Number.POSITIVE_INFINITY } = this.#series;
    for (let index = 1; index <= keptFiles; index += 1) {
      const stats = await stat(this.#file(index)).catch(() => undefined);
      if (stats && Date.now() - stats.mtimeMs > keptMs) await rm(this.#file(index), { force: true });
    }
  }

  #file(index: number): string {
    return index === 0 ? this.#path : `${this.#path}.${index}`;
  }
}

function parseLine(line: string): AuditEntry | undefined {
  if (line === '') return undefined;
  try {
    const entry = JSON.parse(line) as AuditEntry; // as: only this service writes the file
    return Number.isNaN(Date.parse(entry.at)) ? undefined : entry;
  } catch {
    return undefined;
  }
}
