import type { Readable } from 'node:stream';

/** The computers of the robot that run services (specification, section 4.9). */
export const SYSTEMS = ['head', 'base'] as const;
export type System = (typeof SYSTEMS)[number];

/** A `.service` unit: its file joined with what systemd holds of it in memory. */
export interface Unit {
  /** File name, `nav.service`. */
  readonly name: string;
  /** Null while systemd has not loaded the unit; so is `load_state`. */
  readonly description: string | null;
  readonly load_state: string | null;
  readonly active_state: string;
  readonly sub_state: string;
  /** Whether it starts at boot; null for a unit without a file. */
  readonly enabled: boolean | null;
}

export interface LogEntry {
  /** RFC 3339 in UTC with microseconds. */
  readonly timestamp: string;
  /** 0 (emergency) to 7 (debug). */
  readonly priority: number | null;
  readonly pid: number | null;
  /** Without terminal colours and control characters. */
  readonly message: string;
}

export interface LogPage {
  /** {@link LogEntry} objects, oldest first. Destroying it frees what it holds. */
  readonly entries: Readable;
  /** Older entries of the window were left out. */
  readonly truncated: boolean;
}

/**
 * The services of one computer. Names are file names that the caller has checked against the allowed ones.
 * Errors: `component_unavailable` naming the computer; `busy` for one follower too many; the reason of the signal.
 */
export interface ServiceManager {
  units(signal: AbortSignal): Promise<Unit[]>;
  /** The newest entries, `lines` at most, of the last hour by that computer's clock. */
  logs(unit: string, lines: number, signal: AbortSignal): Promise<LogPage>;
  /** {@link LogEntry} objects as they are written from now on, until the stream is destroyed or the signal aborts. */
  follow(unit: string, signal: AbortSignal): Promise<Readable>;
}

export interface ServiceManagers {
  readonly kind: 'simulated' | 'systemd';
  readonly systems: Readonly<Record<System, ServiceManager>>;
  close(): void;
}

/** The window of the logs: the last hour, in ms (specification, section 8). */
export const LOG_WINDOW = 3_600_000;
