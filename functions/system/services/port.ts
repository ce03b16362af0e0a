import type { Readable } from 'node:stream';
import type { System } from '../../shared/allowed-units.ts';
import type { LogEntry } from './logs.schema.ts';
import type { Unit } from './services.schema.ts';

export type { LogEntry, Unit };

/** Which entries of a unit's log are wanted. Without `since`, `until` and `after`: those of the last hour. */
export interface LogSelection {
  /** Most entries: the newest, or, with `after`, the oldest. */
  readonly lines: number;
  /** Start of the window, included, in microseconds since the epoch. */
  readonly since?: number | undefined;
  /** End of the window, included, in microseconds since the epoch. */
  readonly until?: number | undefined;
  /** Cursor of an entry: only what follows it, however old. Excludes `since`. */
  readonly after?: string | undefined;
  readonly filter?: LogFilter;
}

export interface LogFilter {
  /** Highest syslog severity number: 3 is errors and worse. */
  readonly priority?: number | undefined;
  /** Text that the message contains, in this case. */
  readonly text?: string | undefined;
}

export interface LogPage {
  /** {@link LogEntry} objects, oldest first. Must be consumed or destroyed. */
  readonly entries: Readable;
  /** Whether entries of the window were omitted: older ones, or, after a cursor, newer ones. */
  readonly truncated: boolean;
  /** Cursor of the last entry; undefined if there is none. */
  readonly cursor: string | undefined;
  /** Whether there is no entry at all. */
  readonly empty: boolean;
}

/**
 * The services of one computer. The caller has checked that the unit is allowed.
 * @throws ServiceError `component_unavailable` naming the computer; `busy` for too many followers; the reason of the
 * signal.
 */
export interface ServiceManager {
  /** The units whose names match one of the patterns (`*` stands for any characters); may contain others. */
  units(patterns: readonly string[], signal: AbortSignal): Promise<Unit[]>;
  /** The selected entries; the last hour is that of the computer's own clock. */
  logs(unit: string, selection: LogSelection, signal: AbortSignal): Promise<LogPage>;
  /** Whether there is a unit file, a loaded unit or a journal entry of that name; true also if that cannot be found out. */
  exists(unit: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Asks systemd to restart the unit, and gives its state right after; waits for no end, which may be far.
   * @throws ServiceError `not_found` for a unit that cannot be loaded, `component_unavailable` also when the user of the
   * service may not restart it.
   */
  restart(unit: string, signal: AbortSignal): Promise<UnitState>;
  /** What its clock says, in ms since the epoch. */
  now(signal: AbortSignal): Promise<number>;
  /** Streams new {@link LogEntry} objects until the stream is destroyed or the signal aborts. */
  follow(unit: string, filter: LogFilter, signal: AbortSignal): Promise<Readable>;
}

export type UnitState = Pick<Unit, 'active_state' | 'sub_state'>;

export interface ServiceManagers {
  readonly kind: 'simulated' | 'systemd';
  readonly systems: Readonly<Record<System, ServiceManager>>;
  close(): void;
}

/** The last hour (specification, section 8). */
export const LOG_WINDOW_MS = 3_600_000;
