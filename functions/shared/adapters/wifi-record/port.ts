/**
 * How the latest configure went. `in_progress` and `interrupted` have no end yet: the one still runs, the other was cut
 * off with this process, and the former connection was restored without it.
 */
export interface LastConfigure {
  readonly ssid: string;
  readonly outcome: 'in_progress' | 'connected' | 'failed' | 'interrupted';
  /** The error code of a failure. */
  readonly code?: string;
  /** RFC 3339. */
  readonly finished_at: string | null;
}

/** Remembers the latest configure, also over a restart, for a client whose answer was lost with the link. */
export interface WifiRecord {
  last(): Promise<LastConfigure | null>;
  /**
   * Claims the one place there is.
   * @throws ServiceError `busy` until the configure before has finished.
   */
  start(ssid: string): Promise<void>;
  finish(outcome: 'connected' | 'failed', code?: string): Promise<void>;
  /** From here on nothing is remembered: a configure that is cut off by the end of this process stays `interrupted`. */
  close(): void;
}
