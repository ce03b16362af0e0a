import type { ConnectionLimits } from './connection-limits.ts';

/** What a client may ask of a connection. Times in ms, sizes in bytes. Tests hand in shorter times. */
export interface Limits {
  /** From the first byte of a connection or request to the end of its headers. */
  readonly headersTimeout: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestTimeout: number;
  /** Between two requests on one connection. */
  readonly keepAliveTimeout: number;
  /** Without progress while an answer is being sent. */
  readonly sendTimeout: number;
  /** How often the times above are looked at. */
  readonly checkInterval: number;
  /** How long the end of an unread body is awaited before the connection is cut. */
  readonly lingerTimeout: number;
  /** Longest request target. */
  readonly targetBytes: number;
  /** Largest header section that is still answered by the service itself. */
  readonly headerBytes: number;
  readonly headerCount: number;
  /** How many connections may be open; absent: as many as the descriptors of the process allow. */
  readonly connections?: ConnectionLimits;
  /** Most bytes of answers that clients have not read yet: of the process, and of one address block. */
  readonly answerBytes: number;
  readonly answerBytesEach: number;
  /** Most bytes of bodies that are arriving or being worked off: of the process, and of one key or address block. */
  readonly bodyBytes: number;
  readonly bodyBytesEach: number;
  /** Requests that still run at SIGTERM may finish by themselves for so long. */
  readonly drainGrace: number;
  /** Then they are ended, and have so long to say so before the connections are cut. */
  readonly drainEnd: number;
}

export const LIMITS: Limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  sendTimeout: 30_000,
  checkInterval: 1_000,
  lingerTimeout: 2_000,
  targetBytes: 8 * 1024,
  headerBytes: 16 * 1024,
  headerCount: 100,
  answerBytes: 64 * 1024 * 1024,
  answerBytesEach: 16 * 1024 * 1024,
  bodyBytes: 32 * 1024 * 1024,
  bodyBytesEach: 8 * 1024 * 1024,
  drainGrace: 5_000,
  drainEnd: 3_000,
};
