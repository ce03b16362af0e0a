import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { unavailable } from '../functions/shared/errors.ts';
import type { HostFacts } from '../functions/shared/middleware/exchange.ts';
import type { Refusals } from '../functions/shared/refusals.ts';
import { addressBlock } from '../functions/shared/tokens/address-block.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import { type Connection, ConnectionPool } from './connection-pool.ts';

interface Member {
  readonly pool: ConnectionPool;
  readonly connection: Connection;
}

/**
 * Bounds the connections of the process: those over TCP and TLS by address block and in all, those over the Unix socket
 * by themselves, so that neither can use up the descriptors or the other's places. A connection without a place is taken
 * in all the same, for a stop.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #speaksForMany: (address: string) => boolean;
  readonly #pools: Readonly<Record<HostFacts['listener'], ConnectionPool>>;
  readonly #members = new WeakMap<Socket, Member>();

  /** `speaksForMany`: addresses without a limit of their own, loopback and trusted proxies. */
  constructor(limits: ConnectionLimits, refusals: Refusals, speaksForMany: (address: string) => boolean) {
    this.#limits = limits;
    this.#speaksForMany = speaksForMany;
    const pool = (budget: 'connections' | 'socket_connections', most: number) =>
      new ConnectionPool({ most, spare: limits.spare }, (block, closedIdle) =>
        refusals.note(
          budget,
          closedIdle ? 'Closed the longest idle connection for a new one' : 'No connection is free',
          {
            block,
          },
        ),
      );
    this.#pools = { tcp: pool('connections', limits.tcp), socket: pool('socket_connections', limits.socket) };
  }

  /** Counts every connection of a server from now on. */
  watch(server: Server, listener: HostFacts['listener']): void {
    /** What becomes a TLS connection, by the port of the client: the two sockets do not know each other. */
    const handshakes = new Map<string, Member>();
    server.prependListener('connection', (socket: Socket) => {
      const member = this.#add(socket, listener);
      const place = placeOf(socket);
      handshakes.set(place, member);
      socket.once('close', () => {
        member.pool.remove(member.connection);
        if (handshakes.get(place) === member) handshakes.delete(place);
      });
    });
    server.prependListener('secureConnection', (socket: TLSSocket) => {
      const member = handshakes.get(placeOf(socket));
      if (member) this.#members.set(socket, member);
    });
  }

  /** A request is being answered on the connection. */
  begin(socket: Socket): void {
    const member = this.#members.get(socket);
    member?.pool.begin(member.connection);
  }

  /** No request is being answered on the connection any more. */
  end(socket: Socket): void {
    const member = this.#members.get(socket);
    member?.pool.end(member.connection);
  }

  /** @throws ServiceError `component_unavailable` on a connection that is there for a stop only. */
  admit(socket: Socket): void {
    const member = this.#members.get(socket);
    if (!member || member.pool.hasPlace(member.connection)) return;
    throw unavailable('connections', 'Too many are open. Close some; on this one nothing but stop is answered.');
  }

  #add(socket: Socket, listener: HostFacts['listener']): Member {
    const pool = this.#pools[listener];
    const { remoteAddress = '' } = socket;
    const unlimited = listener === 'socket' || this.#speaksForMany(remoteAddress);
    const most = unlimited ? Number.POSITIVE_INFINITY : this.#limits.tcpEach;
    const member = { pool, connection: pool.add(socket, addressBlock(remoteAddress), most) };
    this.#members.set(socket, member);
    return member;
  }
}

function placeOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`;
}
