import type { Readable } from 'node:stream';
import type { System } from '../../shared/allowed-units.ts';
import type { LogEntry } from './logs.schema.ts';
import type { Unit } from './services.schema.ts';

export type { LogEntry, Unit };

export interface LogPage {
  /** {@link LogEntry} objects, oldest first. Must be consumed or destroyed. */
  readonly entries: Readable;
  /** Whether older entries of the last hour were omitted. */
  readonly truncated: boolean;
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
  /** The newest entries, at most `lines`, of the last hour by that computer's clock. */
  logs(unit: string, lines: number, signal: AbortSignal): Promise<LogPage>;
  /** Whether there is a unit file, a loaded unit or a journal entry of that name; true also if that cannot be found out. */
  exists(unit: string, signal: AbortSignal): Promise<boolean>;
  /** Streams new {@link LogEntry} objects until the stream is destroyed or the signal aborts. */
  follow(unit: string, signal: AbortSignal): Promise<Readable>;
}

export interface ServiceManagers {
  readonly kind: 'simulated' | 'systemd';
  readonly systems: Readonly<Record<System, ServiceManager>>;
  close(): void;
}

/** The last hour (specification, section 8). */
export const LOG_WINDOW_MS = 3_600_000;
