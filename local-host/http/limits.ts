import { EVENT_LIMITS, type EventLimits } from '../events/limits.ts';
import type { ConnectionLimits } from './connection-limits.ts';

/** Limits on what a client may ask of the HTTP servers. Tests pass shorter times. */
export interface Limits {
  /** From the first byte of a connection or request to the end of its headers. */
  readonly headersTimeoutMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestTimeoutMs: number;
  /** Between two requests on one connection. */
  readonly keepAliveTimeoutMs: number;
  /** Without progress while a response is being sent. */
  readonly sendTimeoutMs: number;
  /** How often Node checks the first two timeouts. */
  readonly checkIntervalMs: number;
  /** How long to wait for the rest of an unread body before closing the connection. */
  readonly lingerTimeoutMs: number;
  readonly targetBytes: number;
  /**
   * Size of the header section. Beyond four times this size the parser rejects the request before the service sees it.
   */
  readonly headerBytes: number;
  readonly headerCount: number;
  /** Defaults to what the file descriptors of the process allow. */
  readonly connections?: ConnectionLimits;
  /** Response bytes that clients have not read yet: per process, and per address block. */
  readonly answerBytes: number;
  readonly answerBytesPerBlock: number;
  /** Bytes of bodies that are arriving or being processed: per process, and per key or address block. */
  readonly bodyBytes: number;
  readonly bodyBytesPerOwner: number;
  /** How long requests pending at SIGTERM may take to finish by themselves. */
  readonly drainGraceMs: number;
  /** How long they then have to answer with an error before their connections are closed. */
  readonly drainEndMs: number;
  /** How often the service's own TLS certificate is checked. */
  readonly certificateCheckMs: number;
  readonly events: EventLimits;
}

export const LIMITS: Limits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  sendTimeoutMs: 30_000,
  checkIntervalMs: 1_000,
  lingerTimeoutMs: 2_000,
  targetBytes: 8 * 1024,
  headerBytes: 16 * 1024,
  headerCount: 100,
  answerBytes: 64 * 1024 * 1024,
  answerBytesPerBlock: 16 * 1024 * 1024,
  bodyBytes: 16 * 1024 * 1024,
  bodyBytesPerOwner: 4 * 1024 * 1024,
  drainGraceMs: 5_000,
  drainEndMs: 3_000,
  certificateCheckMs: 60_000,
  events: EVENT_LIMITS,
};
