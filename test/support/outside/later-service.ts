import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { http } from '../http.ts';

/** A code that no document of today names. */
export const LATER_CODE = 'added_later';

/**
 * The service as a later version may be: it passes everything on to the real one, adds a member to every object of its
 * answers, and gives every problem a code that is not known today.
 */
export class LaterService {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(url: string): Promise<LaterService> {
    const server = createServer(async (request, response) => {
      const body: Buffer[] = [];
      for await (const piece of request) body.push(piece);
      const answer = await http(url, request.url ?? '/', {
        method: request.method ?? 'GET',
        headers: passedOn(request.headers),
        ...(body.length === 0 ? {} : { body: Buffer.concat(body) }),
      });
      const text = answer.json === undefined ? answer.bytes : JSON.stringify(later(answer.json, answer.status));
      const { 'content-type': type = '', authorization } = answer.headers;
      response.writeHead(answer.status, { 'content-type': type, ...(authorization ? { authorization } : {}) });
      response.end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new LaterService(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // as: it listens on a port
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const PASSED_ON = ['authorization', 'x-api-key', 'content-type', 'accept'] as const;

function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(PASSED_ON.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])));
}

function later(value: unknown, status: number): unknown {
  if (Array.isArray(value)) return value.map((item) => later(item, status));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, later(member, status)]);
  const added = { added_later: { since: 2, why: ['growth'] }, ...Object.fromEntries(members) };
  return status >= 400 && 'code' in added ? { ...added, code: LATER_CODE } : added;
}
