import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { addressBlock } from '../../functions/shared/identity/address-block.ts';
import { FairTurns } from './fair-turns.ts';

/** A connection with more unanswered requests is closed: no client of a stop pipelines so many. */
const MAX_PIPELINED = 4;

interface Connection {
  readonly socket: Socket;
  readonly block: string;
  /** A token was accepted on it. */
  trusted: boolean;
  /** Requests that are not answered yet. */
  pending: number;
}

/**
 * Limits the connections to a guard, in total and of each address block. A new one that finds no room takes the place of
 * the oldest on which no token was accepted yet, or else of the oldest that waits for no answer. If there is none either,
 * it is closed.
 */
export class StopConnections {
  readonly #max: number;
  readonly #maxPerBlock: number;
  /** In the order in which they came. */
  readonly #connections = new Set<Connection>();
  readonly #turns = new FairTurns();
  readonly #bySocket = new WeakMap<Socket, Connection>();

  constructor(max: number, maxPerBlock: number) {
    this.#max = max;
    this.#maxPerBlock = maxPerBlock;
  }

  /** Starts counting the connections of a server. */
  watch(server: Server): void {
    const handshakes = new Map<string, Connection>();
    server.prependListener('connection', (socket: Socket) => {
      const connection = this.#add(socket);
      if (!connection) return;
      const endpoint = endpointOf(socket);
      handshakes.set(endpoint, connection);
      socket.once('close', () => {
        this.#connections.delete(connection);
        if (handshakes.get(endpoint) === connection) handshakes.delete(endpoint);
      });
    });
    server.prependListener('secureConnection', (socket: TLSSocket) => {
      const connection = handshakes.get(endpointOf(socket));
      if (connection) this.#bySocket.set(socket, connection);
    });
    const count = ({ socket }: IncomingMessage, response: ServerResponse) => {
      const connection = this.#bySocket.get(socket);
      if (!connection) return;
      connection.pending += 1;
      if (connection.pending > MAX_PIPELINED) socket.destroy();
      response.once('close', () => {
        connection.pending -= 1;
      });
    };
    server.prependListener('request', count).prependListener('checkExpectation', count);
  }

  /** A token was accepted on this connection. */
  trust(socket: Socket): void {
    const connection = this.#bySocket.get(socket);
    if (connection) connection.trusted = true;
  }

  /** Whether a request of this connection is not answered yet. */
  isAnswering(socket: Socket): boolean {
    return (this.#bySocket.get(socket)?.pending ?? 0) > 0;
  }

  /** Does the work of a connection, fairly among the address blocks that ask: see {@link FairTurns}. */
  inTurn(socket: Socket, work: () => void): void {
    if (!this.#turns.run(this.#bySocket.get(socket)?.block ?? '', work)) socket.destroy();
  }

  #add(socket: Socket): Connection | undefined {
    const block = addressBlock(socket.remoteAddress ?? '');
    const ofBlock = [...this.#connections].filter((other) => other.block === block);
    const isRoom =
      (ofBlock.length < this.#maxPerBlock || closeOldest(ofBlock)) &&
      (this.#connections.size < this.#max || closeOldest(this.#connections));
    if (!isRoom) {
      socket.destroy();
      return undefined;
    }
    const connection = { socket, block, trusted: false, pending: 0 };
    this.#connections.add(connection);
    this.#bySocket.set(socket, connection);
    return connection;
  }
}

/** False when each of them has shown a token and waits for an answer. */
function closeOldest(connections: Iterable<Connection>): boolean {
  const all = [...connections];
  const oldest = all.find(({ trusted }) => !trusted) ?? all.find(({ pending }) => pending === 0);
  oldest?.socket.destroy();
  return oldest !== undefined;
}

function endpointOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`;
}
