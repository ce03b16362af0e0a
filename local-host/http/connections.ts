import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { unavailable } from '../../functions/shared/errors.ts';
import { addressBlock } from '../../functions/shared/identity/address-block.ts';
import type { Refusals } from '../../functions/shared/observability/refusals.ts';
import type { HostFacts } from '../../functions/shared/pipeline/exchange.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import { type Connection, ConnectionPool } from './connection-pool.ts';

interface PooledConnection {
  readonly pool: ConnectionPool;
  readonly connection: Connection;
}

/**
 * Limits the connections of the process: TCP and TLS per address block and in total, the Unix socket separately, so
 * that neither can use up the descriptors or the other's limit. A connection beyond the limit is still accepted, for a
 * stop.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #isShared: (address: string) => boolean;
  readonly #pools: Readonly<Record<HostFacts['listener'], ConnectionPool>>;
  readonly #connections = new WeakMap<Socket, PooledConnection>();

  /** `isShared`: addresses without a per-block limit, which are loopback and trusted proxies. */
  constructor(limits: ConnectionLimits, refusals: Refusals, isShared: (address: string) => boolean) {
    this.#limits = limits;
    this.#isShared = isShared;
    const pool = (budget: 'connections' | 'socket_connections', max: number) =>
      new ConnectionPool({ max, overflow: limits.overflow }, (block, closedIdle) =>
        refusals.note(
          budget,
          closedIdle ? 'Closed the longest idle connection to make room' : 'Connection limit reached',
          { block },
        ),
      );
    this.#pools = { tcp: pool('connections', limits.tcp), socket: pool('socket_connections', limits.socket) };
  }

  /** Starts counting the connections of a server. */
  watch(server: Server, listener: HostFacts['listener']): void {
    // Node gives no link from a TLS socket to its TCP socket; the client's port identifies both.
    const handshakes = new Map<string, PooledConnection>();
    server.prependListener('connection', (socket: Socket) => {
      const pooled = this.#add(socket, listener);
      const endpoint = endpointOf(socket);
      handshakes.set(endpoint, pooled);
      socket.once('close', () => {
        pooled.pool.remove(pooled.connection);
        if (handshakes.get(endpoint) === pooled) handshakes.delete(endpoint);
      });
    });
    server.prependListener('secureConnection', (socket: TLSSocket) => {
      const pooled = handshakes.get(endpointOf(socket));
      if (pooled) this.#connections.set(socket, pooled);
    });
  }

  /** The connection has a pending request. */
  markBusy(socket: Socket): void {
    const pooled = this.#connections.get(socket);
    pooled?.pool.markBusy(pooled.connection);
  }

  /** The connection has no pending request any more. */
  markIdle(socket: Socket): void {
    const pooled = this.#connections.get(socket);
    pooled?.pool.markIdle(pooled.connection);
  }

  /** @throws ServiceError `component_unavailable` on an overflow connection. */
  admit(socket: Socket): void {
    const pooled = this.#connections.get(socket);
    if (!pooled || pooled.pool.claimSlot(pooled.connection)) return;
    throw unavailable('connections', 'Too many are open. Close some; this one only accepts stop.');
  }

  #add(socket: Socket, listener: HostFacts['listener']): PooledConnection {
    const pool = this.#pools[listener];
    const { remoteAddress = '' } = socket;
    const unlimited = listener === 'socket' || this.#isShared(remoteAddress);
    const max = unlimited ? Number.POSITIVE_INFINITY : this.#limits.tcpPerBlock;
    const pooled = { pool, connection: pool.add(socket, addressBlock(remoteAddress), max) };
    this.#connections.set(socket, pooled);
    return pooled;
  }
}

function endpointOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`;
}
