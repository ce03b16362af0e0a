import net, { type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy that can hold back what the first client of it sends; what comes back passes at once. */
export class HoldingProxy {
  readonly #server: net.Server;
  readonly #sockets: Socket[] = [];
  #holdMs = 0;
  #first: Socket | undefined;

  constructor(server: net.Server, target: number) {
    this.#server = server;
    server.on('connection', (client) => {
      const robot = net.connect(target, '127.0.0.1');
      this.#first ??= client;
      this.#sockets.push(client, robot);
      robot.pipe(client);
      const isFirst = client === this.#first;
      client.on('data', (bytes) => {
        if (!isFirst || this.#holdMs === 0) robot.write(bytes);
        else setTimeout(() => robot.write(bytes), this.#holdMs).unref();
      });
      client.on('close', () => robot.destroy());
      robot.on('close', () => client.destroy());
      for (const socket of [client, robot]) socket.on('error', () => socket.destroy());
    });
  }

  static async start(target: number): Promise<HoldingProxy> {
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new HoldingProxy(server, target);
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // as: it listens on TCP
  }

  /** From now on what the first client sends arrives so much later. */
  holdBack(ms: number): void {
    this.#holdMs = ms;
  }

  /** Whether the connection of the first client is gone. */
  get firstIsGone(): boolean {
    return this.#first?.destroyed === true;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
