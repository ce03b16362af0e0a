/** From how many removed items on their places are given back. */
const COMPACT_AT = 1024;

/** A queue whose both ends take constant time, on average. */
export class Fifo<T> implements Iterable<T> {
  #items: T[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** The oldest item. */
  get first(): T | undefined {
    return this.#items[this.#head];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined as T; // as: nobody reads before the head
    this.#head += 1;
    if (this.#head >= COMPACT_AT && this.#head * 2 >= this.#items.length) this.#compact();
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }

  /** The newest items that fulfil a condition which no older item fulfils, oldest first. */
  newestWhile(holds: (item: T) => boolean): T[] {
    let from = this.#items.length;
    while (from > this.#head && holds(this.#items[from - 1] as T)) from -= 1; // as: between head and end
    return this.#items.slice(from);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items.slice(this.#head)[Symbol.iterator]();
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }
}
