/** If expiry is noticed this much too late, the process was stalled, and keep-alives may have been delayed as well. */
const STALL_MS = 50;
/** Time to read and handle what the sockets have buffered during such a stall. */
const READ_AFTER_STALL_MS = 50;

/**
 * Calls back at a given time, once everything that had arrived by then has been read from the sockets: a stalled process
 * must not mistake its own silence for that of a client. Does not keep the process alive.
 */
export class LeaseExpiry {
  readonly #monotonic: () => number;
  readonly #onEnd: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param monotonic the current time in ms of a monotonic clock. */
  constructor(monotonic: () => number, onEnd: () => void) {
    this.#monotonic = monotonic;
    this.#onEnd = onEnd;
  }

  /** Replaces the time of the call; Infinity means never. */
  at(endMs: number): void {
    clearTimeout(this.#timer);
    if (endMs === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#readFirst(endMs), endMs - this.#monotonic()).unref();
  }

  #readFirst(endMs: number): void {
    if (this.#monotonic() - endMs < STALL_MS) setImmediate(this.#onEnd);
    else this.#timer = setTimeout(this.#onEnd, READ_AFTER_STALL_MS).unref();
  }
}
