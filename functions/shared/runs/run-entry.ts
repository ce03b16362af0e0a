import { type Caller, isAtLeast } from '../access.ts';
import { actorOf } from '../events/events.port.ts';
import type { JsonObject, JsonValue } from '../kit/json.ts';
import { Latch } from '../kit/latch.ts';
import type { Run, RunFailure, RunRecord, RunState, SandboxName } from './run.schema.ts';
import { RunLog } from './run-log.ts';

/** What is known of a run when it is accepted. */
export interface NewRun {
  readonly id: string;
  readonly skill: string;
  readonly function: string;
  readonly sha256: string;
  readonly args: JsonObject;
  readonly sandbox: SandboxName;
  readonly accessLevel: string;
  readonly owner: Pick<Caller, 'clientId' | 'keyId'>;
  /** How many runs it was started through, one from the other. */
  readonly depth: number;
}

export type FinalState = 'succeeded' | 'failed' | 'stopped';

const ENDED: ReadonlySet<RunState> = new Set(['succeeded', 'failed', 'stopped', 'lost']);

/** What other clients read in place of the text of an error, which may quote what the skill works with. */
const PRIVATE = 'Only visible to whoever started the run and to ADMIN.';

/** One run, under way or ended. Its states only go forward. */
export class RunEntry {
  readonly log: RunLog;
  /** The skill was released, or has ended before that. */
  readonly begun = new Latch();
  readonly over = new Latch();
  /** How many runs it was started through, one from the other. */
  readonly depth: number;
  readonly #clock: () => number;
  #record: RunRecord;

  private constructor(record: RunRecord, clock: () => number, depth = 0) {
    this.#record = record;
    this.depth = depth;
    this.#clock = clock;
    this.log = new RunLog(clock);
  }

  static create({ owner, accessLevel, depth, ...given }: NewRun, clock: () => number): RunEntry {
    const record: RunRecord = {
      ...given,
      state: 'starting',
      created_at: new Date(clock()).toISOString(),
      started_at: null,
      finished_at: null,
      started_by: actorOf(owner),
      result: null,
      error: null,
      truncated: false,
      client_id: owner.clientId,
      access_level: accessLevel,
    };
    return new RunEntry(record, clock, depth);
  }

  /** A run of an earlier process: `lost` unless it had ended. Its output is gone. */
  static restore(record: RunRecord, clock: () => number): RunEntry {
    const lost = { state: 'lost', finished_at: new Date(clock()).toISOString(), truncated: true } as const;
    const run = new RunEntry(ENDED.has(record.state) ? { ...record, truncated: true } : { ...record, ...lost }, clock);
    run.log.end();
    run.begun.open();
    run.over.open();
    return run;
  }

  get id(): string {
    return this.#record.id;
  }

  get state(): RunState {
    return this.#record.state;
  }

  get skill(): string {
    return this.#record.skill;
  }

  get function(): string {
    return this.#record.function;
  }

  get sandbox(): SandboxName {
    return this.#record.sandbox;
  }

  get startedBy(): RunRecord['started_by'] {
    return this.#record.started_by;
  }

  get ownerId(): string {
    return this.#record.client_id;
  }

  /** What the decorator of its function demands, as written. */
  get accessLevel(): string {
    return this.#record.access_level;
  }

  get error(): RunFailure | null {
    return this.#record.error;
  }

  get hasEnded(): boolean {
    return ENDED.has(this.state);
  }

  get hasStarted(): boolean {
    return this.#record.started_at !== null;
  }

  /** The skill was released. */
  start(): void {
    if (this.state !== 'starting') return;
    this.#change({ state: 'running', started_at: this.#now() });
    this.begun.open();
  }

  /** Somebody ends it. @returns false if it has ended or is being ended. */
  stopping(): boolean {
    if (this.state !== 'starting' && this.state !== 'running') return false;
    this.#change({ state: 'stopping' });
    return true;
  }

  finish(state: FinalState, { result = null, error = null }: { result?: JsonValue; error?: RunFailure | null } = {}) {
    if (this.hasEnded) return;
    this.log.end();
    this.#change({ state, finished_at: this.#now(), result, error, truncated: this.log.truncated });
    this.begun.open();
    this.over.open();
  }

  record(): RunRecord {
    return { ...this.#record, truncated: this.#record.truncated || this.log.truncated };
  }

  /** Whether a caller may see arguments, result and log. */
  isPrivyTo({ clientId, accessLevel }: Pick<Caller, 'clientId' | 'accessLevel'>): boolean {
    return clientId === this.ownerId || isAtLeast(accessLevel, 'ADMIN');
  }

  /** As a caller may see it. */
  seenBy(caller: Pick<Caller, 'clientId' | 'accessLevel'>): Run {
    const { client_id: _client, access_level: _level, ...run } = this.record();
    if (this.isPrivyTo(caller)) return run;
    const error = run.error && { ...run.error, message: PRIVATE, last_lines: [] };
    return { ...run, args: null, result: null, error };
  }

  #change(change: Partial<RunRecord>): void {
    this.#record = { ...this.#record, ...change };
  }

  #now(): string {
    return new Date(this.#clock()).toISOString();
  }
}
