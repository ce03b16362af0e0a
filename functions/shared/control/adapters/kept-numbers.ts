import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { codeOf } from '../../kit/error-code.ts';
import { replaceFile } from '../../kit/files/replace-file.ts';
import { withLock } from '../../kit/files/with-lock.ts';
import type { Logger } from '../../observability/logger.ts';
import type { NumberReserve } from '../fence.ts';

/** How many numbers are reserved at once: each reservation is a write to the disk. */
const BLOCK = 1000;
/** A new block is reserved when no more than these are left of the present one. */
const LOW = BLOCK / 2;

const Kept = z.strictObject({ next: z.int().min(0) });

/**
 * Numbers that no start of the service on this data folder gives out twice. They are reserved on disk in blocks; while
 * the disk takes none, numbers go on and are not `kept`. Each use after that tries again.
 */
export class KeptNumbers implements NumberReserve {
  readonly #path: string;
  readonly #logger: Logger;
  #last = 0;
  #limit = 0;
  #reserving: Promise<void> | undefined;
  #failing = false;

  private constructor(path: string, logger: Logger) {
    this.#path = path;
    this.#logger = logger;
  }

  /** Opens the file, made when it is missing, and reserves a first block. Never fails: see {@link kept}. */
  static async open(path: string, logger: Logger): Promise<KeptNumbers> {
    const numbers = new KeptNumbers(path, logger);
    await numbers.#reserve();
    return numbers;
  }

  get last(): number {
    return this.#last;
  }

  next(): number {
    this.#last = Math.min(this.#last + 1, Number.MAX_SAFE_INTEGER);
    if (this.#limit - this.#last < LOW) void this.#reserve();
    return this.#last;
  }

  async skip(number: number): Promise<void> {
    this.#last = Math.max(this.#last, number);
    if (!this.kept) await this.#reserve();
  }

  get kept(): boolean {
    if (this.#last < this.#limit) return true;
    void this.#reserve();
    return false;
  }

  #reserve(): Promise<void> {
    this.#reserving ??= withLock(this.#path, () => this.#extend())
      .then(
        () => {
          this.#failing = false;
        },
        (error: unknown) => {
          const level = this.#failing ? 'debug' : 'error';
          this.#failing = true;
          this.#logger[level]({ err: error }, 'cannot reserve numbers for the fence; motion is refused without them');
        },
      )
      .finally(() => {
        this.#reserving = undefined;
      });
    return this.#reserving;
  }

  #extend(): void {
    const free = this.#firstFree();
    const block = Math.max(free, this.#last);
    const limit = Math.min(block + BLOCK, Number.MAX_SAFE_INTEGER);
    replaceFile(this.#path, JSON.stringify({ next: limit }));
    // Another process has taken numbers in between, or ours ran out: numbers beyond our block are not ours to give.
    if (block !== this.#limit) this.#last = block;
    this.#limit = limit;
  }

  /** With an unreadable file the count is lost: the clock gives a higher number than any that was counted. */
  #firstFree(): number {
    try {
      return Kept.parse(JSON.parse(readFileSync(this.#path, 'utf8'))).next;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return 1;
      this.#logger.warn({ err: error }, 'cannot read the numbers of the fence; continuing from the clock');
      return Date.now();
    }
  }
}
