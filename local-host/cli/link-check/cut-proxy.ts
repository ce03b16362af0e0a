import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Stands between the robot and its broker, as a network that can hang: bytes are held back in both directions, and
 * delivered later. TLS passes through.
 */
export class CutProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #isCut = false;
  /** How many connections the robot has made. */
  connections = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @throws Error with `syscall` where the port cannot be used. */
  static async listen(port: number, host: string, target: { readonly host: string; readonly port: number }) {
    const server = createServer();
    const proxy = new CutProxy(server);
    server.on('connection', (robot) => proxy.#join(robot, connect(target.port, target.host)));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => resolve());
    });
    return proxy;
  }

  /** Nothing passes any more, until {@link mend}. */
  cut(): void {
    this.#isCut = true;
    for (const sockets of this.#pairs) for (const socket of sockets) socket.pause();
  }

  /** What was held back is delivered. */
  mend(): void {
    this.#isCut = false;
    for (const sockets of this.#pairs) for (const socket of sockets) socket.resume();
  }

  close(): void {
    this.#server.close();
    for (const sockets of this.#pairs) for (const socket of sockets) socket.destroy();
  }

  #join(robot: Socket, broker: Socket): void {
    this.connections += 1;
    const pair = [robot, broker] as const;
    this.#pairs.add(pair);
    for (const [from, to] of [pair, [broker, robot] as const]) {
      from.setNoDelay(true);
      from.on('data', (bytes) => to.write(bytes));
      from.on('error', () => undefined); // `close` follows
      from.on('close', () => {
        this.#pairs.delete(pair);
        to.end();
      });
      if (this.#isCut) from.pause();
    }
  }
}
