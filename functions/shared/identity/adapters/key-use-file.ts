import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Config } from '../../config.ts';
import { replaceFile } from '../../kit/files/replace-file.ts';
import type { Logger } from '../../observability/logger.ts';
import type { KeyUse } from '../key-use.port.ts';

/** How long a use may be lost when the process is killed, in ms: the file is not written more often than that. */
const WRITE_EVERY_MS = 60_000;
const MINUTE_MS = 60_000;

const Kept = z.record(z.string(), z.iso.datetime());

/** Path of the file that says when API keys were last used. */
export function keyUsePath({ SERVICE_DATA_DIR }: Config): string {
  return join(SERVICE_DATA_DIR, 'key-use.json');
}

/**
 * The uses of keys in a file of their own, beside the keys, which are then only written when somebody changes them. Where
 * it cannot be written, on a full disk for instance, the uses are known until the end of the process.
 */
export class KeyUseFile implements KeyUse {
  readonly #path: string;
  readonly #logger: Logger;
  readonly #clock: () => number;
  readonly #uses: Map<string, string>;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string, logger: Logger, clock: () => number) {
    this.#path = path;
    this.#logger = logger;
    this.#clock = clock;
    this.#uses = new Map(Object.entries(read(path)));
  }

  note(keyId: string): void {
    const minute = new Date(Math.floor(this.#clock() / MINUTE_MS) * MINUTE_MS).toISOString();
    if (this.#uses.get(keyId) === minute) return;
    this.#uses.set(keyId, minute);
    this.#timer ??= setTimeout(() => this.#write(), WRITE_EVERY_MS).unref();
  }

  lastUsedAt(keyId: string): string | null {
    return this.#uses.get(keyId) ?? null;
  }

  close(): void {
    if (this.#timer) this.#write();
  }

  /** Another service of the same data folder may have written meanwhile: the later use counts. */
  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [id, at] of Object.entries(read(this.#path))) {
      if (at > (this.#uses.get(id) ?? '')) this.#uses.set(id, at);
    }
    try {
      replaceFile(this.#path, `${JSON.stringify(Object.fromEntries(this.#uses))}\n`);
    } catch (error) {
      this.#logger.warn({ err: error }, 'the last use of API keys could not be written');
    }
  }
}

function read(path: string): Readonly<Record<string, string>> {
  try {
    return Kept.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return {}; // missing, or broken: nothing depends on it
  }
}

/** Of a function in the cloud, which has no disk. */
export const NO_KEY_USE: KeyUse = { note: () => undefined, lastUsedAt: () => null, close: () => undefined };
