import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from '../../logger.ts';
import { makePrivateFolder } from '../files/replace-file.ts';
import { matches } from './filter.ts';
import type { AuditEntry, AuditFilter, AuditTrail } from './port.ts';

/** Size at which a file is set aside, and how many of those are kept: 20 MiB in all. */
const FILE_BYTES = 1024 * 1024;
const KEPT_FILES = 19;
interface OpenFile {
  readonly handle: FileHandle;
  size: number;
}

/** Entries that wait for a disk that takes none; the oldest give way. */
const MOST_WAITING = 10_000;

/**
 * JSON lines in one file, 0600, set aside as `.1`, `.2`, … when it has grown; the oldest goes. Entries are written in
 * bundles, in their order. A line that a crash has cut off is skipped when reading and ended when writing goes on.
 */
export class AuditFile implements AuditTrail {
  readonly #path: string;
  readonly #logger: Logger;
  readonly #fileBytes: number;
  #waiting: AuditEntry[] = [];
  #writing: Promise<void> | undefined;
  #problem: string | undefined;
  #open: OpenFile | undefined;

  constructor(path: string, logger: Logger, fileBytes = FILE_BYTES) {
    this.#path = path;
    this.#logger = logger;
    this.#fileBytes = fileBytes;
  }

  append(entry: AuditEntry): void {
    this.#waiting.push(entry);
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
    this.#writeOn();
  }

  async read(filter: AuditFilter): Promise<{ entries: AuditEntry[]; next: string | null }> {
    await this.#settled();
    const entries: AuditEntry[] = [];
    let behind = filter.before === undefined;
    for (let index = 0; index <= KEPT_FILES; index += 1) {
      const text = await readFile(this.#file(index), 'utf8').catch(() => '');
      for (const line of text.split('\n').reverse()) {
        const entry = parseLine(line);
        if (!entry) continue;
        if (behind && matches(entry, filter)) entries.push(entry);
        if (entry.id === filter.before) behind = true;
        if (entries.length > filter.limit) {
          const page = entries.slice(0, filter.limit);
          return { entries: page, next: page.at(-1)?.id ?? null };
        }
      }
    }
    return { entries, next: null };
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
      this.#waiting = [...bundle, ...this.#waiting].slice(-MOST_WAITING);
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
    const { size } = await handle.stat();
    const last = size === 0 ? 0x0a : (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0];
    if (last !== 0x0a) await handle.appendFile('\n');
    return { handle, size };
  }

  async #closeFile(): Promise<void> {
    const file = this.#open;
    this.#open = undefined;
    await file?.handle.close();
  }

  async #rotateWhenFull(): Promise<void> {
    if (this.#open === undefined || this.#open.size < this.#fileBytes) return;
    await this.#closeFile();
    await rm(this.#file(KEPT_FILES), { force: true });
    for (let index = KEPT_FILES - 1; index >= 0; index -= 1) {
      await rename(this.#file(index), this.#file(index + 1)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
    }
  }

  #file(index: number): string {
    return index === 0 ? this.#path : `${this.#path}.${index}`;
  }
}

function parseLine(line: string): AuditEntry | undefined {
  if (line === '') return undefined;
  try {
    return JSON.parse(line) as AuditEntry; // as: only this service writes the file
  } catch {
    return undefined;
  }
}
