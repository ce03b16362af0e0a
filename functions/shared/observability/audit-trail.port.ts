import type { AuditEntry } from './audit-entry.schema.ts';

export type { AuditEntry } from './audit-entry.schema.ts';

/** What to look for. Times are RFC 3339; the newest entries come first. */
export interface AuditFilter {
  readonly action?: string | undefined;
  readonly client_id?: string | undefined;
  readonly key_id?: string | undefined;
  readonly outcome?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Continue behind the entry with this id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Newest first, and the id to go on from when there may be more. */
export interface AuditPage {
  readonly entries: AuditEntry[];
  readonly next: string | null;
}

export interface AuditTrail {
  /** Accepts an entry, which is on disk soon after. Never throws: see `problem`. */
  append(entry: AuditEntry): void;
  /** Matching entries. */
  read(filter: AuditFilter): Promise<AuditPage>;
  /** Why entries cannot be kept at the moment, or undefined. */
  problem(): string | undefined;
  /** Settles when everything taken in is on disk. */
  close(): Promise<void>;
}

let counter = 0;

/** Id and time of an entry that is made now (ms since the epoch). */
export function stamp(now: number): Pick<AuditEntry, 'id' | 'at'> {
  counter = (counter + 1) % 1_000_000;
  const id = [now, process.pid, counter].map((part) => part.toString(36)).join('-');
  return { id, at: new Date(now).toISOString() };
}
