/** Bytes held in memory for one request. */
export interface Allocation {
  /** The key or address block whose limit they count against. */
  readonly owner: string;
  bytes: number;
  /** Frees the bytes early. */
  readonly evict: () => void;
}

interface Owner<A> {
  bytes: number;
  /** Oldest first. */
  readonly allocations: Set<A>;
}

/** Tracks how many bytes each owner holds. */
export class ByteUsage<A extends Allocation = Allocation> {
  readonly #owners = new Map<string, Owner<A>>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  bytesOf(owner: string): number {
    return this.#owners.get(owner)?.bytes ?? 0;
  }

  /** Grows an allocation, registering it first if it is new. */
  add(allocation: A, bytes: number): void {
    let owner = this.#owners.get(allocation.owner);
    if (!owner) {
      owner = { bytes: 0, allocations: new Set() };
      this.#owners.set(allocation.owner, owner);
    }
    owner.allocations.add(allocation);
    owner.bytes += bytes;
    allocation.bytes += bytes;
    this.#total += bytes;
  }

  /** Does nothing if the allocation has already been removed. */
  remove(allocation: A): void {
    const owner = this.#owners.get(allocation.owner);
    if (!owner?.allocations.delete(allocation)) return;
    owner.bytes -= allocation.bytes;
    this.#total -= allocation.bytes;
    if (owner.allocations.size === 0) this.#owners.delete(allocation.owner);
  }

  /** The allocations of one owner, oldest first. */
  of(owner: string): Iterable<A> {
    return this.#owners.get(owner)?.allocations ?? [];
  }

  /** The owner with the most bytes; undefined if there is none. */
  largestOwner(): string | undefined {
    let largest: string | undefined;
    let largestBytes = -1;
    for (const [name, { bytes }] of this.#owners) {
      if (bytes <= largestBytes) continue;
      largestBytes = bytes;
      largest = name;
    }
    return largest;
  }
}
