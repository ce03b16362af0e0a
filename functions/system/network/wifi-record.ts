import type { LastConfigure } from './wifi-list.schema.ts';

export type { LastConfigure };

/** Remembers the latest configuration across restarts, for clients that lost the response along with their link. */
export interface WifiRecord {
  last(): Promise<LastConfigure | null>;
  /**
   * Starts a configuration; only one can run at a time.
   * @throws ServiceError `busy` until the previous one has finished.
   */
  start(ssid: string): Promise<void>;
  finish(outcome: 'connected' | 'failed', code?: string): Promise<void>;
  /** Stops recording, so that a configuration cut off by shutdown is later reported as `interrupted`. */
  close(): void;
}
