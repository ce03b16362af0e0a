import type { Socket } from 'node:net';

export interface Connection {
  readonly socket: Socket;
  readonly block: Block;
  /** Accepted beyond the limit, so that a stop can still be received. */
  overflow: boolean;
}

/** The connections of one address block. */
interface Block {
  readonly name: string;
  /** Connection limit of the block. */
  readonly max: number;
  readonly connections: Set<Connection>;
  /** Connections without a pending request, longest idle first. */
  readonly idle: Set<Connection>;
}

interface PoolLimits {
  readonly max: number;
  readonly overflow: number;
}

/**
 * Connections that share one limit. When it is reached, a new connection replaces the one that has been idle longest:
 * in its own block if that is full, otherwise in the block with the most connections. If none is idle, the new
 * connection becomes an overflow connection.
 */
export class ConnectionPool {
  readonly #limits: PoolLimits;
  readonly #onExceeded: (block: string, closedIdle: boolean) => void;
  readonly #blocks = new Map<string, Block>();
  readonly #overflow = new Set<Connection>();
  #size = 0;

  constructor(limits: PoolLimits, onExceeded: (block: string, closedIdle: boolean) => void) {
    this.#limits = limits;
    this.#onExceeded = onExceeded;
  }

  /** Adds a new, idle connection to a block that may have `max` connections. */
  add(socket: Socket, name: string, max: number): Connection {
    const block = this.#blocks.get(name) ?? { name, max, connections: new Set(), idle: new Set() };
    if (!this.#hasRoom(block)) this.#closeIdle(block);
    this.#blocks.set(name, block); // only now: closing the block's last connection deletes the block
    const overflow = !this.#hasRoom(block);
    const connection = { socket, block, overflow };
    block.connections.add(connection);
    block.idle.add(connection);
    if (overflow) this.#addOverflow(connection);
    else this.#size += 1;
    return connection;
  }

  markBusy(connection: Connection): void {
    connection.block.idle.delete(connection);
  }

  markIdle(connection: Connection): void {
    const { block } = connection;
    if (block.connections.has(connection)) block.idle.add(connection);
  }

  remove(connection: Connection): void {
    const { block } = connection;
    if (!block.connections.delete(connection)) return;
    block.idle.delete(connection);
    if (block.connections.size === 0) this.#blocks.delete(block.name);
    if (!this.#overflow.delete(connection)) this.#size -= 1;
  }

  /**
   * Promotes an overflow connection if there is room by now.
   * @returns whether all requests may be answered on the connection.
   */
  claimSlot(connection: Connection): boolean {
    if (connection.overflow && this.#hasRoom(connection.block)) {
      connection.overflow = false;
      this.#overflow.delete(connection);
      this.#size += 1;
    }
    return !connection.overflow;
  }

  #hasRoom(block: Block): boolean {
    return this.#size < this.#limits.max && !isFull(block);
  }

  #closeIdle(block: Block): void {
    const longest = isFull(block) ? longestIdle(block) : this.#longestIdle();
    if (!longest) return;
    this.#onExceeded(longest.block.name, true);
    this.#close(longest);
  }

  /** In the block with the most connections among those that have an idle one. */
  #longestIdle(): Connection | undefined {
    let size = 0;
    let found: Connection | undefined;
    for (const block of this.#blocks.values()) {
      if (block.connections.size <= size) continue;
      const longest = longestIdle(block);
      if (!longest) continue;
      size = block.connections.size;
      found = longest;
    }
    return found;
  }

  #addOverflow(connection: Connection): void {
    this.#onExceeded(connection.block.name, false);
    this.#overflow.add(connection);
    if (this.#overflow.size <= this.#limits.overflow) return;
    let [victim] = this.#overflow;
    for (const candidate of this.#overflow) {
      if (!candidate.block.idle.has(candidate)) continue;
      victim = candidate;
      break;
    }
    if (victim) this.#close(victim);
  }

  #close(connection: Connection): void {
    this.remove(connection);
    connection.socket.destroy();
  }
}

function isFull({ connections, max }: Block): boolean {
  if (connections.size < max) return false;
  let counted = 0;
  for (const { overflow } of connections) if (!overflow) counted += 1;
  return counted >= max;
}

/** Overflow connections do not count. */
function longestIdle({ idle }: Block): Connection | undefined {
  for (const connection of idle) if (!connection.overflow) return connection;
  return undefined;
}
