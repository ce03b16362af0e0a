import type { JsonValue } from '../../json.ts';

/** One thing that somebody did, or tried to do. Never a secret: subjects are chosen fields, not bodies. */
export interface AuditEntry {
  /** Unique, in the order of writing within one process. */
  readonly id: string;
  /** RFC 3339. */
  readonly at: string;
  /** What: `command`, `skill.upload`, `token.publisher`, … */
  readonly action: string;
  /** To what: the name of the command, of the skill, of the table. */
  readonly subject: Readonly<Record<string, JsonValue>>;
  /** Who. `key_id` is `local` for callers over the Unix socket and for commands on the machine itself. */
  readonly client_id: string | null;
  readonly key_id: string | null;
  readonly key_name: string | null;
  /** From where: the client's address, empty for what came through the broker (`relay`); `command` is a command on the machine itself. */
  readonly address: string;
  readonly listener: 'tcp' | 'socket' | 'relay' | 'command';
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  /** The id in the answer: the client's own when it has sent one. */
  readonly request_id: string | null;
  /** The service's own id of the request, where `request_id` is the client's. */
  readonly service_request_id?: string | undefined;
  /** How many equal actions this entry stands for, when more than one; `at` is the time of the last of them. */
  readonly count?: number | undefined;
  /** When the first of them was. */
  readonly first_at?: string | undefined;
}

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
  /** Takes an entry in at once; it is on disk soon after. Never throws: what went wrong is told by `problem`. */
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
