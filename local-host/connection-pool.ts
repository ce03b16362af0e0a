import type { Socket } from 'node:net';

/** One connection of a pool. */
export interface Connection {
  readonly socket: Socket;
  readonly block: Block;
  /** It came when there was no room, and is there for a stop. */
  spare: boolean;
}

/** The connections of one address block. */
export interface Block {
  readonly name: string;
  /** Most connections it may have. */
  readonly most: number;
  readonly connections: Set<Connection>;
  /** Those on which no request is being answered, longest idle first. */
  readonly idle: Set<Connection>;
}

interface PoolLimits {
  readonly most: number;
  readonly spare: number;
}

/**
 * Connections that share one number of places. A newcomer without a place gets the one of the connection that has been
 * idle longest, of his own block when that is full, else of the block that has most. When none is idle he is a spare one.
 */
export class ConnectionPool {
  readonly #limits: PoolLimits;
  readonly #onExceeded: (block: string, closedIdle: boolean) => void;
  readonly #blocks = new Map<string, Block>();
  readonly #spare = new Set<Connection>();
  #size = 0;

  constructor(limits: PoolLimits, onExceeded: (block: string, closedIdle: boolean) => void) {
    this.#limits = limits;
    this.#onExceeded = onExceeded;
  }

  /** Takes in a new connection, which is idle, of a block that may have `most`. */
  add(socket: Socket, name: string, most: number): Connection {
    const block = this.#blocks.get(name) ?? { name, most, connections: new Set(), idle: new Set() };
    if (!this.#hasRoom(block)) this.#closeIdle(block);
    this.#blocks.set(name, block); // only now: closing the last one of the block has forgotten it
    const spare = !this.#hasRoom(block);
    const connection = { socket, block, spare };
    block.connections.add(connection);
    block.idle.add(connection);
    if (spare) this.#addSpare(connection);
    else this.#size += 1;
    return connection;
  }

  begin(connection: Connection): void {
    connection.block.idle.delete(connection);
  }

  end(connection: Connection): void {
    const { block } = connection;
    if (block.connections.has(connection)) block.idle.add(connection);
  }

  remove(connection: Connection): void {
    const { block } = connection;
    if (!block.connections.delete(connection)) return;
    block.idle.delete(connection);
    if (block.connections.size === 0) this.#blocks.delete(block.name);
    if (!this.#spare.delete(connection)) this.#size -= 1;
  }

  /** Whether any request may be answered on the connection; a spare one gets a place that has become free since. */
  hasPlace(connection: Connection): boolean {
    if (connection.spare && this.#hasRoom(connection.block)) {
      connection.spare = false;
      this.#spare.delete(connection);
      this.#size += 1;
    }
    return !connection.spare;
  }

  #hasRoom(block: Block): boolean {
    return this.#size < this.#limits.most && !isFull(block);
  }

  #closeIdle(block: Block): void {
    const longest = isFull(block) ? longestIdle(block) : this.#longestIdle();
    if (!longest) return;
    this.#onExceeded(longest.block.name, true);
    this.#cut(longest);
  }

  /** Of the block with most connections that has an idle one. */
  #longestIdle(): Connection | undefined {
    let most = 0;
    let found: Connection | undefined;
    for (const block of this.#blocks.values()) {
      if (block.connections.size <= most) continue;
      const longest = longestIdle(block);
      if (!longest) continue;
      most = block.connections.size;
      found = longest;
    }
    return found;
  }

  #addSpare(connection: Connection): void {
    this.#onExceeded(connection.block.name, false);
    this.#spare.add(connection);
    if (this.#spare.size <= this.#limits.spare) return;
    let [victim] = this.#spare;
    for (const each of this.#spare) {
      if (!each.block.idle.has(each)) continue;
      victim = each;
      break;
    }
    if (victim) this.#cut(victim);
  }

  #cut(connection: Connection): void {
    this.remove(connection);
    connection.socket.destroy();
  }
}

function isFull({ connections, most }: Block): boolean {
  if (connections.size < most) return false;
  let placed = 0;
  for (const { spare } of connections) if (!spare) placed += 1;
  return placed >= most;
}

/** Of those that have a place. */
function longestIdle({ idle }: Block): Connection | undefined {
  for (const connection of idle) if (!connection.spare) return connection;
  return undefined;
}
