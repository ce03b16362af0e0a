import type { Readable } from 'node:stream';
import type { System } from '../../shared/allowed-units.ts';
import type { LogEntry } from '../../shared/log-entry.schema.ts';

/** A part of the bundle that is one text, or one JSON value. */
export interface IncidentDocument {
  /** Its name in the bundle. */
  readonly path: string;
  /** May fail: the bundle then names the error. */
  readonly read: (signal: AbortSignal) => unknown;
}

/** Which log entries are wanted, in ms since the epoch. */
export interface LogWindow {
  readonly since: number;
  readonly until: number;
}

/** Where an incident bundle takes its content from; provided by the host. */
export interface IncidentSources {
  readonly documents: readonly IncidentDocument[];
  /** The units of a computer whose logs may be read. May fail, for a computer that cannot be reached for instance. */
  units(system: System, signal: AbortSignal): Promise<readonly string[]>;
  /** Whether the logs of a unit may be read. */
  isAllowed(system: System, unit: string): boolean;
  /** {@link LogEntry} objects, oldest first; `truncated`: older ones are left out. */
  logs(
    system: System,
    unit: string,
    window: LogWindow,
    signal: AbortSignal,
  ): Promise<{ readonly entries: Readable; readonly truncated: boolean }>;
}

export type { LogEntry };
