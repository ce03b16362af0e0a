import { constants, fstatSync, openSync, write } from 'node:fs';

/** Short enough that nobody following the log notices. */
const MAX_DELAY_MS = 50;
const BUFFER_BYTES = 64 * 1024;
/** A UTF-16 code unit takes at most this many bytes in UTF-8. */
const MAX_BYTES_PER_CODE_UNIT = 3;
/** While nothing can be written, lines up to this size are kept; later ones are dropped and counted. */
const MAX_QUEUED_BYTES = 1024 * 1024;
const RETRY_MS = 200;

/**
 * Buffers log lines and writes them in batches, one batch at a time: one write per line costs more than the request it
 * logs. Lines are buffered as bytes, because as strings they would stay on the heap as the thousands of fragments they
 * were concatenated from.
 *
 * The log never stops the service. On a full disk, or a pipe that nobody reads, it keeps retrying with what fits into
 * the queue, and later logs how many lines it had to drop.
 */
export class LogDestination {
  readonly #fd: number;
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #used = 0;
  #flushTimer: NodeJS.Timeout | undefined;
  readonly #queue: Buffer[] = [];
  #queuedBytes = 0;
  #writing = false;
  #retryTimer: NodeJS.Timeout | undefined;
  #dropped = 0;
  #onSettled: (() => void) | undefined;

  constructor(fd: number) {
    this.#fd = withoutBlocking(fd);
  }

  write(line: string): void {
    if (this.#queuedBytes >= MAX_QUEUED_BYTES) {
      this.#dropped += 1;
      return;
    }
    const maxBytes = line.length * MAX_BYTES_PER_CODE_UNIT;
    if (this.#used + maxBytes > BUFFER_BYTES) this.#flush();
    if (maxBytes > BUFFER_BYTES) {
      this.#enqueue(Buffer.from(line));
      return;
    }
    this.#used += this.#buffer.write(line, this.#used);
    this.#flushTimer ??= setTimeout(() => this.#flush(), MAX_DELAY_MS);
  }

  /**
   * Writes all buffered lines; gives up after `limitMs`. Resolves with false if a write still blocks a thread: then
   * `process.exit()` would wait for it.
   */
  async close(limitMs: number): Promise<boolean> {
    this.#flush();
    if (!this.#settled()) {
      const limit = setTimeout(() => this.#onSettled?.(), limitMs);
      await new Promise<void>((resolve) => {
        this.#onSettled = resolve;
      });
      clearTimeout(limit);
    }
    return !this.#writing;
  }

  #settled(): boolean {
    return !this.#writing && this.#queue.length === 0;
  }

  #flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    if (this.#used > 0) this.#enqueue(Buffer.from(this.#buffer.subarray(0, this.#used)));
    this.#used = 0;
  }

  #enqueue(batch: Buffer): void {
    this.#queue.push(batch);
    this.#queuedBytes += batch.length;
    this.#writeNext();
  }

  #writeNext(): void {
    const [batch] = this.#queue;
    if (!batch || this.#writing || this.#retryTimer) return;
    this.#writing = true;
    write(this.#fd, batch, (error, written) => {
      this.#writing = false;
      if (error) this.#retryLater();
      else this.#advance(batch, written);
      if (this.#settled()) this.#onSettled?.();
    });
  }

  #advance(batch: Buffer, written: number): void {
    this.#queuedBytes -= written;
    if (written < batch.length) this.#queue[0] = batch.subarray(written);
    else this.#queue.shift();
    if (this.#dropped > 0) {
      const notice = { level: 'warn', time: new Date().toISOString(), lines: this.#dropped, msg: 'dropped log lines' };
      this.#dropped = 0;
      this.#enqueue(Buffer.from(`${JSON.stringify(notice)}\n`));
    }
    this.#writeNext();
  }

  #retryLater(): void {
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = undefined;
      this.#writeNext();
    }, RETRY_MS);
  }
}

/**
 * A full pipe would block one of the few threads for files. Opened again as non-blocking, for us alone, it fails
 * instead.
 */
function withoutBlocking(fd: number): number {
  try {
    if (fstatSync(fd).isFIFO()) return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // not on Linux, or nobody reads it any more
  }
  return fd;
}
