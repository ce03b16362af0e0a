import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Node's parser; undocumented, hence optional. A 'data' listener would change how bodies are read. */
interface ParsedSocket extends Socket {
  readonly parser?: { getCurrentBuffer?(): Buffer } | null;
}

/** What a connection received last. */
interface Received {
  readonly bytesRead: number;
  /** A copy, kept only while it is being parsed. */
  bytes: Buffer | undefined;
  /** Where the search for the next request line begins. */
  from: number;
}

const received = new WeakMap<Socket, Received>();

/**
 * Whether the parts of the request line are separated by single spaces (RFC 9112, section 3). Node's parser skips
 * further ones and does not tell, while a proxy in front might take the line for another request. Must be called once
 * for each request, while it is being parsed. A line that arrives apart from the end of its headers is not examined.
 */
export function isRequestLineExact({ method, url, socket }: IncomingMessage): boolean {
  const packet = packetOf(socket);
  if (!packet?.bytes) return true;
  const { bytes, from } = packet;
  const line = `${method} ${url} HTTP/`;
  const at = bytes.indexOf(line, from, 'latin1');
  if (at >= 0) {
    packet.from = at + line.length;
    return true;
  }
  return !bytes.includes(`${method}  `, from, 'latin1') && !bytes.includes(`${url}  HTTP/`, from, 'latin1');
}

function packetOf(socket: ParsedSocket): Received | undefined {
  const { bytesRead } = socket;
  const known = received.get(socket);
  if (known?.bytesRead === bytesRead && known.bytes) return known;
  const bytes = socket.parser?.getCurrentBuffer?.();
  if (!bytes) return undefined;
  const packet: Received = { bytesRead, bytes, from: 0 };
  received.set(socket, packet);
  queueMicrotask(() => {
    packet.bytes = undefined;
  });
  return packet;
}
