import { fstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { codeOf } from '../error-code.ts';
import { withFile } from './with-file.ts';

/** How often the file is checked, at most, in ms. */
const CHECK_INTERVAL_MS = 500;

/** A file as it was read: its text and its mode. */
export interface ReadFile {
  readonly text: string;
  readonly mode: number;
}

/** Why a file cannot be used; the message holds neither its path nor its text, so that it may be shown to anybody. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
}

interface WatchOptions<T> {
  /** Makes the value; throws FileFault when the file cannot be used. */
  readonly parse: (file: ReadFile) => T;
  /** The value as long as there has been none: a file that is absent is then no problem, a broken one is. */
  readonly fallback?: T;
  readonly clock: () => number;
  /** Called once for each new problem, and with undefined when it is solved. */
  readonly onProblem?: (problem: string | undefined) => void;
}

/**
 * A small file that others replace while the service runs. It is checked when it is used, not by a timer: a stat every
 * 500 ms at most, a read only when it has changed. While it is missing or invalid, the last valid value is kept.
 */
export class WatchedFile<T> {
  readonly #path: string;
  readonly #options: WatchOptions<T>;
  #checkedAt: number;
  #seen: string | undefined;
  #valid: { readonly value: T };
  #problem: string | undefined;

  /** @throws FileFault when the file cannot be used at the first check and there is no fallback. */
  constructor(path: string, options: WatchOptions<T>) {
    this.#path = path;
    this.#options = options;
    this.#checkedAt = options.clock();
    this.#valid = this.#firstValue();
  }

  /** The last valid value. `fresh` checks the file even if that was done just now. */
  value(fresh = false): T {
    const now = this.#options.clock();
    // A clock that was set back must not end the checks.
    if (fresh || Math.abs(now - this.#checkedAt) >= CHECK_INTERVAL_MS) {
      this.#checkedAt = now;
      this.#check();
    }
    return this.#valid.value;
  }

  /** Why the file cannot be used at the moment, or undefined. */
  problem(): string | undefined {
    this.value();
    return this.#problem;
  }

  #firstValue(): { readonly value: T } {
    const { fallback } = this.#options;
    try {
      return { value: this.#read() };
    } catch (error) {
      if (fallback === undefined) throw faultOf(error);
      this.#note(error);
      return { value: fallback };
    }
  }

  #check(): void {
    try {
      if (identityOf(statSync(this.#path)) === this.#seen) return;
      this.#valid = { value: this.#read() };
      this.#setProblem(undefined);
    } catch (error) {
      this.#note(error);
    }
  }

  #note(error: unknown): void {
    if (this.#seen === undefined && codeOf(error) === 'ENOENT') return;
    this.#setProblem(faultOf(error).message);
    // What could not be read is tried again; what was read and is wrong stays wrong until it changes.
    if (!(error instanceof FileFault)) this.#seen = 'unreadable';
  }

  #setProblem(problem: string | undefined): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onProblem?.(problem);
  }

  #read(): T {
    return withFile(this.#path, 'r', (file) => {
      const stats = fstatSync(file);
      const text = readFileSync(file, 'utf8');
      this.#seen = identityOf(stats);
      return this.#options.parse({ text, mode: stats.mode });
    });
  }
}

function identityOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

/** Any failure as a fault that may be shown: the texts of system errors hold paths. */
export function faultOf(error: unknown): FileFault {
  if (error instanceof FileFault) return error;
  const code = codeOf(error);
  if (code === 'ENOENT') return new FileFault('the file does not exist', { cause: error });
  return new FileFault(`the file cannot be used (${code ?? 'for an unknown reason'})`, { cause: error });
}

/**
 * A secret that others may read may have leaked: nobody but the owner gets any permission on its file.
 * @param remedy what to do about it, as the end of a sentence.
 * @throws FileFault
 */
export function requirePrivate({ mode }: ReadFile, remedy: string): void {
  if ((mode & 0o077) !== 0) throw new FileFault(`others than its owner can read it; ${remedy}`);
}
