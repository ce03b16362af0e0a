/**
 * A map of at most so many entries: a new one pushes out the oldest. Setting an entry again does not make it younger.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #limit: number;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  override set(key: K, value: V): this {
    super.set(key, value);
    if (this.size > this.#limit) {
      const { value: oldest } = this.keys().next();
      this.delete(oldest as K); // as: a map with entries has a first key
    }
    return this;
  }
}
