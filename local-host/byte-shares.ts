/** Bytes that are held for one request until it is answered. */
export interface Holding {
  /** Whose share they count against. */
  readonly owner: string;
  bytes: number;
  /** Gives the bytes up before their time. */
  readonly takeBack: () => void;
}

interface Owner<H> {
  bytes: number;
  /** In the order in which they began. */
  readonly holdings: Set<H>;
}

/** Who holds how many bytes at the moment. */
export class ByteShares<H extends Holding = Holding> {
  readonly #owners = new Map<string, Owner<H>>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  bytesOf(owner: string): number {
    return this.#owners.get(owner)?.bytes ?? 0;
  }

  /** Makes a holding grow; its first bytes begin it. */
  add(holding: H, bytes: number): void {
    let owner = this.#owners.get(holding.owner);
    if (!owner) {
      owner = { bytes: 0, holdings: new Set() };
      this.#owners.set(holding.owner, owner);
    }
    owner.holdings.add(holding);
    owner.bytes += bytes;
    holding.bytes += bytes;
    this.#total += bytes;
  }

  /** Ends a holding; nothing happens when it has ended already. */
  remove(holding: H): void {
    const owner = this.#owners.get(holding.owner);
    if (!owner?.holdings.delete(holding)) return;
    owner.bytes -= holding.bytes;
    this.#total -= holding.bytes;
    if (owner.holdings.size === 0) this.#owners.delete(holding.owner);
  }

  /** The holdings of one owner, oldest first. */
  of(owner: string): Iterable<H> {
    return this.#owners.get(owner)?.holdings ?? [];
  }

  /** Who holds most; undefined when nobody holds anything. */
  greediest(): string | undefined {
    let greediest: string | undefined;
    let most = -1;
    for (const [name, { bytes }] of this.#owners) {
      if (bytes <= most) continue;
      most = bytes;
      greediest = name;
    }
    return greediest;
  }
}
