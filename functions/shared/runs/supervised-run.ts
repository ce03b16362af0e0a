import type { JsonValue } from '../kit/json.ts';
import type { Logger } from '../observability/logger.ts';
import type { FAILURES, RunFailure } from './run.schema.ts';
import type { OpenRunDoor, RunDoor } from './run-door.port.ts';
import type { RunEntry } from './run-entry.ts';
import type { Job, ProcessEnd, RunProcess, Sandbox, Workplace } from './sandbox.port.ts';

/** Time a run has to end by itself, in ms. */
export const GRACE_MS = { asked: 2_000, stop: 500 } as const;
/** Longest time until a process waits to be released, in ms. */
const START_LIMIT_MS = 60_000;
/** How often a process that should be gone is killed again, in ms. */
const KILL_AGAIN_MS = 100;
const LAST_LINES = 20;
const LAST_LINE_CHARS = 500;

type FailureCode = (typeof FAILURES)[number];
type Outcome = { readonly result: JsonValue } | { readonly code: FailureCode; readonly message: string };

export interface SupervisionParts {
  readonly run: RunEntry;
  readonly slot: number;
  readonly job: Job;
  readonly sandbox: Sandbox;
  readonly openDoor: OpenRunDoor;
  readonly timeoutMs: number;
  readonly lease: string | undefined;
  readonly logger: Logger;
  readonly onChange: (run: RunEntry) => void;
}

/** Carries one run from its start to its end. */
export class SupervisedRun {
  readonly #parts: SupervisionParts;
  #door: RunDoor | undefined;
  #process: RunProcess | undefined;
  #outcome: Outcome | undefined;
  #ending: 'asked' | 'timeout' | undefined;
  #killing = false;
  #refused = false;
  #timers: NodeJS.Timeout[] = [];

  constructor(parts: SupervisionParts) {
    this.#parts = parts;
  }

  /** Whose run it is; for lists of what is under way. */
  get run(): RunEntry {
    return this.#parts.run;
  }

  /** From now on nothing that the run asks for is carried out. Takes effect at once. */
  refuse(): void {
    this.#refused = true;
    this.#door?.refuse();
  }

  /** Asks the run to end, and kills it with everything it started after `graceMs`. Never waits, never throws. */
  end(graceMs: number): void {
    this.#end('asked', graceMs);
  }

  /** Runs to the end. Never rejects. */
  async supervise(): Promise<void> {
    const { run, slot, job, sandbox, openDoor, lease, logger } = this.#parts;
    let workplace: Workplace | undefined;
    let ended: ProcessEnd | undefined;
    try {
      workplace = await sandbox.openWorkplace(run.id, slot);
      this.#door = await openDoor({ runId: run.id, lease }, workplace);
      if (this.#refused) this.#door.refuse();
      await workplace.handOver();
      if (!this.#ending) ended = await this.#execute(job, workplace);
    } catch (error) {
      logger.error({ err: error, run: run.id }, 'a run could not be started');
      this.#outcome ??= { code: 'start_failed', message: messageOf(error) };
    } finally {
      for (const timer of this.#timers) clearTimeout(timer);
      await this.#door?.close();
      await workplace?.remove();
    }
    this.#conclude(ended);
  }

  #execute(job: Job, workplace: Workplace): Promise<ProcessEnd> {
    const { run, slot, sandbox, timeoutMs, onChange } = this.#parts;
    return new Promise((resolve) => {
      const tooSlow = this.#after(START_LIMIT_MS, () => {
        this.#outcome ??= { code: 'start_failed', message: 'The interpreter did not start in time.' };
        this.#kill();
      });
      this.#process = sandbox.start(run.id, slot, job, workplace, {
        ready: () => {
          clearTimeout(tooSlow);
          if (this.#ending || this.#killing) return this.#kill();
          this.#after(timeoutMs, () => this.#end('timeout', GRACE_MS.asked));
          this.#process?.release();
          run.start();
          onChange(run);
        },
        output: (stream, chunk) => run.log.write(stream, chunk),
        returned: (result) => this.#settle({ result }),
        failed: (code, message) => this.#settle({ code, message }),
        ended: resolve,
      });
      if (this.#killing) this.#process.kill();
    });
  }

  /** What the process says of its end, which then has to follow. */
  #settle(outcome: Outcome): void {
    if (this.#ending || this.#outcome) return;
    this.#outcome = outcome;
    this.#after(GRACE_MS.asked, () => this.#kill());
  }

  #end(why: 'asked' | 'timeout', graceMs: number): void {
    const { run, onChange } = this.#parts;
    if (run.hasEnded) return;
    this.#ending ??= why;
    if (run.stopping()) onChange(run);
    if (run.hasStarted) this.#process?.tell();
    this.#after(run.hasStarted ? graceMs : 0, () => this.#kill());
  }

  #kill(): void {
    if (!this.#killing) {
      this.#killing = true;
      this.#timers.push(setInterval(() => this.#process?.kill(), KILL_AGAIN_MS));
    }
    this.#process?.kill();
  }

  #after(ms: number, work: () => void): NodeJS.Timeout {
    const timer = setTimeout(work, ms);
    this.#timers.push(timer);
    return timer;
  }

  #conclude(ended: ProcessEnd | undefined): void {
    const { run, onChange, timeoutMs } = this.#parts;
    const outcome = this.#outcome;
    run.log.end();
    if (outcome && 'result' in outcome) run.finish('succeeded', { result: outcome.result });
    else if (ended?.asked && this.#ending !== 'timeout') run.finish('stopped');
    else if (outcome) run.finish('failed', { error: this.#failure(outcome.code, outcome.message) });
    else if (this.#ending === 'timeout') {
      const message = `It took longer than ${timeoutMs / 1000} s and was ended.`;
      run.finish('failed', { error: this.#failure('run_timeout', message) });
    } else if (this.#ending) run.finish('stopped');
    else if (ended?.signal) {
      const message = `It was ended by the signal ${ended.signal}; SIGKILL may mean that it used too much memory.`;
      run.finish('failed', { error: this.#failure('killed', message) });
    } else {
      const message = `It exited with status ${ended?.code ?? 'unknown'} before the function returned.`;
      run.finish('failed', { error: this.#failure('exited', message) });
    }
    onChange(run);
  }

  #failure(code: FailureCode, message: string): RunFailure {
    return { code, message, last_lines: this.#parts.run.log.lastLines(LAST_LINES, LAST_LINE_CHARS) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
