import { closeSync, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';

/** How often the file is looked at, at most, in ms. */
const LOOK_EVERY_MS = 500;

/** A file as it was read: its text and its mode. */
export interface ReadFile {
  readonly text: string;
  readonly mode: number;
}

/** Why a file cannot be used; the message holds neither its path nor its text, so that anybody may read it. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
}

interface WatchOptions<T> {
  /** Makes the value; throws FileFault when the file cannot be used. */
  readonly parse: (file: ReadFile) => T;
  /** The value as long as there has been none: a file that is absent is then no problem, a broken one is. */
  readonly fallback?: T;
  readonly clock: () => number;
  /** Hears of each new problem once, and of its end. */
  readonly onProblem?: (problem: string | undefined) => void;
}

/**
 * A small file that others replace while the service runs. It is looked at when it is used, not by a timer: a stat every
 * 500 ms at most, a read only when it has changed. A file that has broken or gone leaves the last good value in place.
 */
export class WatchedFile<T> {
  readonly #path: string;
  readonly #options: WatchOptions<T>;
  #lookedAt: number;
  #seen: string | undefined;
  #good: { readonly value: T };
  #problem: string | undefined;

  /** @throws FileFault when the file cannot be used at the first look and there is no fallback. */
  constructor(path: string, options: WatchOptions<T>) {
    this.#path = path;
    this.#options = options;
    this.#lookedAt = options.clock();
    this.#good = this.#firstLook();
  }

  /** The last good value. `afresh` looks at the file even if that was done just now. */
  value(afresh = false): T {
    const now = this.#options.clock();
    // A clock that was set back must not stop the looking.
    if (afresh || Math.abs(now - this.#lookedAt) >= LOOK_EVERY_MS) {
      this.#lookedAt = now;
      this.#look();
    }
    return this.#good.value;
  }

  /** Why the file cannot be used at the moment, or undefined. */
  problem(): string | undefined {
    this.value();
    return this.#problem;
  }

  #firstLook(): { readonly value: T } {
    const { fallback } = this.#options;
    try {
      return { value: this.#read() };
    } catch (error) {
      if (fallback === undefined) throw faultOf(error);
      this.#note(error);
      return { value: fallback };
    }
  }

  #look(): void {
    try {
      if (identityOf(statSync(this.#path)) === this.#seen) return;
      this.#good = { value: this.#read() };
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
    const file = openSync(this.#path, 'r');
    try {
      const stats = fstatSync(file);
      const text = readFileSync(file, 'utf8');
      this.#seen = identityOf(stats);
      return this.#options.parse({ text, mode: stats.mode });
    } finally {
      closeSync(file);
    }
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

/** The code of a system error, `ENOENT` for instance. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
