/** How many connections may be open at once. */
export interface ConnectionLimits {
  /** TCP and TLS combined. */
  readonly tcp: number;
  /** TCP and TLS from one address block. Does not apply to loopback and trusted proxies, which carry many clients. */
  readonly tcpPerBlock: number;
  /** Unix socket. */
  readonly socket: number;
  /** Connections beyond the TCP and beyond the socket limit, on which only stop and the probes are answered. */
  readonly overflow: number;
}

const MAX_TCP = 4096;
const MAX_TCP_PER_BLOCK = 512;
const MAX_SOCKET = 256;
const OVERFLOW = 32;
/** Fraction of the descriptors kept for files, the database, child processes and connections to robots. */
const RESERVED_FRACTION = 1 / 4;

/** Divides the file descriptors of the process so that accepting a connection or opening a file never fails. */
export function connectionLimits(descriptors: number): ConnectionLimits {
  const usable = Math.floor(descriptors * (1 - RESERVED_FRACTION)) - 2 * OVERFLOW;
  const socket = clamp(Math.floor(usable / 8), MAX_SOCKET);
  const tcp = clamp(usable - socket, MAX_TCP);
  return { tcp, tcpPerBlock: clamp(Math.floor(tcp / 4), MAX_TCP_PER_BLOCK), socket, overflow: OVERFLOW };
}

function clamp(value: number, max: number): number {
  return Math.max(1, Math.min(value, max));
}
