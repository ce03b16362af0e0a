/** How many connections may be open at once. */
export interface ConnectionLimits {
  /** Over TCP and TLS together. */
  readonly tcp: number;
  /** Of these from one address block. Loopback and trusted proxies, who speak for many, have no such limit. */
  readonly tcpEach: number;
  /** Over the Unix socket. */
  readonly socket: number;
  /** Beyond each of the first and the last: connections on which nothing but stop and the probes is answered. */
  readonly spare: number;
}

const MAX_TCP = 4096;
const MAX_TCP_EACH = 512;
const MAX_SOCKET = 256;
const SPARE = 32;
/** Of the descriptors, for files, the database, child processes and connections to robots. */
const RESERVED_SHARE = 1 / 4;

/** Divides the descriptors of the process up, so that accepting a connection or opening a file never fails. */
export function connectionLimits(descriptors: number): ConnectionLimits {
  const usable = Math.floor(descriptors * (1 - RESERVED_SHARE)) - 2 * SPARE;
  const socket = clamp(Math.floor(usable / 8), MAX_SOCKET);
  const tcp = clamp(usable - socket, MAX_TCP);
  return { tcp, tcpEach: clamp(Math.floor(tcp / 4), MAX_TCP_EACH), socket, spare: SPARE };
}

function clamp(value: number, most: number): number {
  return Math.max(1, Math.min(value, most));
}
