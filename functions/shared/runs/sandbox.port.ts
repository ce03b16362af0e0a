import type { JsonObject, JsonValue } from '../kit/json.ts';
import type { FAILURES, RunLogEntry, SandboxName } from './run.schema.ts';

/** What a run executes. */
export interface Job {
  /** File name of the skill without `.py`. */
  readonly skill: string;
  readonly source: Buffer;
  readonly function: string;
  readonly args: JsonObject;
}

/** A private folder of one run, in which its sockets are. */
export interface Workplace {
  readonly folder: string;
  readonly socketPath: string;
  readonly eventsPath: string;
  /** Gives the sockets to whom the skill runs as. */
  handOver(): Promise<void>;
  /** Removes the folder. Never rejects. */
  remove(): Promise<void>;
}

/** How a process of a run has ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** Somebody has ended it without asking the service: the administrator of the machine, or its shutdown. */
  readonly asked?: boolean;
}

/** What a process of a run reports. None of these is called after `ended`. */
export interface ProcessListener {
  /** It waits to be released and can be killed. */
  ready(): void;
  output(stream: RunLogEntry['stream'], chunk: Buffer): void;
  /** The function has returned. */
  returned(result: JsonValue): void;
  failed(code: (typeof FAILURES)[number], message: string): void;
  /** The process and everything it started are gone, or have been killed. */
  ended(how: ProcessEnd): void;
}

/** The process of one run. */
export interface RunProcess {
  /** Lets the skill begin; before that no line of it has run. */
  release(): void;
  /** Asks it to end. */
  tell(): void;
  /** Ends it with everything it started. May be repeated; reaches processes that have just been started, too. */
  kill(): void;
}

/** Runs skills apart from the rest of the machine. */
export interface Sandbox {
  readonly name: SandboxName;
  /** Makes the folder of a run. `slot` is its number among the runs at the same time. */
  openWorkplace(runId: string, slot: number): Promise<Workplace>;
  /** Starts a process that holds before the first line of the skill. Errors are reported as `failed` and `ended`. */
  start(runId: string, slot: number, job: Job, workplace: Workplace, listener: ProcessListener): RunProcess;
  /** Removes what the sandbox keeps on disk. */
  close(): Promise<void>;
}

/** A sandbox, or why there is none: a sentence that says what to install. */
export type SandboxProbe = { readonly sandbox: Sandbox } | { readonly problem: string };
