import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.ts';

export type Direction = 'to-server' | 'to-client';

/** One direction of one connection. What is held back is delivered later even when its sender has gone by then. */
class Flow {
  readonly #to: Socket;
  #held: Buffer[] | undefined;
  #ended = false;

  constructor(from: Socket, to: Socket, held: boolean) {
    this.#to = to;
    if (held) this.#held = [];
    from.on('data', (bytes) => {
      if (this.#held) this.#held.push(bytes);
      else to.write(bytes);
    });
    from.on('close', () => {
      this.#ended = true;
      if (!this.#held) to.end();
    });
    from.on('error', () => undefined); // `close` follows
  }

  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    for (const bytes of this.#held ?? []) this.#to.write(bytes);
    this.#held = undefined;
    if (this.#ended) this.#to.end();
  }

  get heldBytes(): number {
    return (this.#held ?? []).reduce((sum, { length }) => sum + length, 0);
  }
}

/** A TCP proxy on the loopback that can hold back either direction of a connection, as a bad radio link does. */
export class SlowProxy {
  readonly port: number;
  readonly #listening: Server;
  readonly #sockets = new Set<Socket>();
  readonly #flows: Array<Record<Direction, Flow>> = [];
  /** Connections that are to be held back from their first byte on. */
  readonly #heldFromStart = new Set<string>();

  private constructor(port: number, targetPort: number) {
    this.port = port;
    this.#listening = createServer((client) => {
      const server = connect(targetPort, '127.0.0.1');
      const index = this.#flows.length;
      const isHeld = (direction: Direction) => this.#heldFromStart.has(`${index} ${direction}`);
      for (const socket of [client, server]) {
        socket.setNoDelay(true);
        this.#sockets.add(socket);
        socket.once('close', () => this.#sockets.delete(socket));
      }
      this.#flows.push({
        'to-server': new Flow(client, server, isHeld('to-server')),
        'to-client': new Flow(server, client, isHeld('to-client')),
      });
    });
  }

  static async start(targetPort: number): Promise<SlowProxy> {
    const proxy = new SlowProxy(await freePort(), targetPort);
    proxy.#listening.listen(proxy.port, '127.0.0.1');
    await once(proxy.#listening, 'listening');
    return proxy;
  }

  /** How many connections were made so far; the first has index 0. */
  get connectionCount(): number {
    return this.#flows.length;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  /** Holds a direction of a connection back until {@link release}; the connection may be one that is still to come. */
  hold(connectionIndex: number, direction: Direction = 'to-server'): void {
    const flow = this.#flows[connectionIndex];
    if (flow) flow[direction].hold();
    else this.#heldFromStart.add(`${connectionIndex} ${direction}`);
  }

  /** Delivers everything that is held back, in order, and holds nothing back any more. */
  release(): void {
    this.#heldFromStart.clear();
    for (const flows of this.#flows) for (const flow of Object.values(flows)) flow.release();
  }

  /** How many bytes of a connection are held back at the moment. */
  heldBytes(connectionIndex: number, direction: Direction = 'to-server'): number {
    return this.#flows[connectionIndex]?.[direction].heldBytes ?? 0;
  }

  /** Cuts every connection at both ends. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#listening.close(resolve));
    this.cut();
    await closed;
  }
}
