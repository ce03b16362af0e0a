import { chmod } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

const MODE = 0o660;
const NAMES = ['channel', 'stdout', 'stderr'] as const;

/**
 * The beginning of the program of a unit: it takes sockets of the service in place of a channel and its output, so that
 * nothing of a skill reaches the journal.
 */
export const ATTACH = `
import os, socket, sys
here = os.path.dirname(os.path.abspath(__file__))
for name, descriptor in (("channel", 3), ("stdout", 1), ("stderr", 2)):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(here + "/" + name + ".sock")
    if connection.fileno() != descriptor:
        os.dup2(connection.fileno(), descriptor, inheritable=name != "channel")
        connection.close()
    connection.detach()
# Python has found out already what it can do with the files that were there before.
sys.stdout = sys.__stdout__ = open(1, "w", closefd=False)
sys.stderr = sys.__stderr__ = open(2, "w", closefd=False)
`;

/** The sockets in the folder of a run to which its process connects itself, once. */
export class Attachment {
  readonly #servers: readonly Server[];
  /** Resolves with its connections; rejects never, and stays open if it does not connect. */
  readonly connected: Promise<Readonly<Record<(typeof NAMES)[number], Socket>>>;

  private constructor(servers: readonly Server[], sockets: readonly Promise<Socket>[]) {
    this.#servers = servers;
    // as: one for each name
    this.connected = Promise.all(sockets as [Promise<Socket>, Promise<Socket>, Promise<Socket>]).then(
      ([channel, stdout, stderr]) => ({ channel, stdout, stderr }),
    );
  }

  /** @throws when a socket cannot be bound. */
  static async open(folder: string): Promise<Attachment> {
    const servers = NAMES.map(() => createServer());
    const attachment = new Attachment(servers, servers.map(firstConnection));
    for (const [index, name] of NAMES.entries()) {
      const path = join(folder, `${name}.sock`);
      await new Promise<void>((resolve, reject) => {
        servers[index]?.once('error', reject).listen(path, resolve);
      });
      await chmod(path, MODE);
    }
    return attachment;
  }

  close(): void {
    for (const server of this.#servers) if (server.listening) server.close();
  }
}

function firstConnection(server: Server): Promise<Socket> {
  return new Promise((resolve) => {
    server.once('connection', (socket) => {
      server.close();
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}
