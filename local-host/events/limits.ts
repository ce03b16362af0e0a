/** Limits on what a subscriber may ask. Tests pass shorter times. */
export interface EventLimits {
  /** From the handshake to the first valid token. */
  readonly authenticateMs: number;
  readonly pingMs: number;
  /** Without any sign of the client. */
  readonly silentMs: number;
  /** How often tokens and the times above are looked at. */
  readonly checkMs: number;
  /** How long before its token ends a client is told. */
  readonly expiryNoticeMs: number;
  /** Between two comments of a server-sent stream. */
  readonly commentMs: number;
  /** Bytes of one frame that a client sends. */
  readonly frameBytes: number;
  /** Frames that a client may send per second, not counting jog frames. */
  readonly framesPerSecond: number;
  readonly jogFramesPerSecond: number;
  /** For the closing handshake. */
  readonly closeMs: number;
  /** Connections of all keys; one key alone gets half of them. */
  readonly connections: number;
}

export const EVENT_LIMITS: EventLimits = {
  authenticateMs: 5_000,
  pingMs: 20_000,
  silentMs: 40_000,
  checkMs: 500,
  expiryNoticeMs: 60_000,
  commentMs: 15_000,
  frameBytes: 64 * 1024,
  framesPerSecond: 50,
  jogFramesPerSecond: 100,
  closeMs: 1_000,
  connections: 1_024,
};
