import { ServiceError } from '../shared/errors.ts';
import type { SendOptions } from '../shared/robot-link/port.ts';

/** The caller that waits for an answer. The signals are only accessed if there is a wait. */
export interface Waiter {
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal;
  /** Aborts when a stop ends the wait early. */
  readonly overtaken?: AbortSignal | undefined;
}

/**
 * The deadline for one answer of the robot. The wait also ends when the caller hangs up. Most answers arrive
 * immediately, so the timer and the listeners are only created for those that do not, and removed when the wait is
 * over.
 */
export class CommandDeadline implements SendOptions {
  readonly deadline: number;
  readonly #timeoutMs: number;
  readonly #caller: Waiter | undefined;
  readonly beginBy?: number;
  readonly #endedByStop: boolean;
  #controller: AbortController | undefined;

  /**
   * @param caller if absent, only the deadline ends the wait.
   * @param longWait for an answer that may take minutes: the latest start. A later stop on the connection then ends the
   * wait.
   */
  constructor(now: number, timeoutMs: number, caller?: Waiter, longWait?: { readonly beginBy: number }) {
    this.deadline = now + timeoutMs;
    this.#timeoutMs = timeoutMs;
    this.#caller = caller;
    this.#endedByStop = longWait !== undefined;
    if (longWait) this.beginBy = longWait.beginBy;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /**
   * Waits for the answer.
   * @throws ServiceError `robot_timeout` at the deadline; `stopped` if a stop ended the wait; `request_timeout`, which
   * nobody reads, after a hang-up.
   */
  wait<T>(answer: Promise<T>): Promise<T> {
    const { signal } = this;
    const abort = (reason: unknown) => this.#controller?.abort(reason);
    const overtaken = this.#endedByStop ? this.#caller?.overtaken : undefined;
    const sources = [this.#caller?.signal, overtaken].filter((source) => source !== undefined);
    const onAbort = ({ target }: Event) => abort(hungUp(target as AbortSignal)); // as: only added to signals
    const timer = setTimeout(() => abort(timeout(this.#timeoutMs)), this.#timeoutMs);
    for (const source of sources) source.addEventListener('abort', onAbort);
    return new Promise<T>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      const aborted = sources.find((source) => source.aborted);
      if (aborted) abort(hungUp(aborted));
      answer.then(resolve, reject);
    }).finally(() => {
      clearTimeout(timer);
      for (const source of sources) source.removeEventListener('abort', onAbort);
    });
  }
}

function timeout(timeoutMs: number): ServiceError {
  return new ServiceError('robot_timeout', {
    detail: `The robot did not answer within ${timeoutMs / 1000} s. The command may have run, and may still be running.`,
    members: { command_ran: 'maybe' },
  });
}

/** The error for an aborted wait: the signal's reason if it is a ServiceError. */
export function hungUp({ reason }: AbortSignal): ServiceError {
  if (reason instanceof ServiceError) return reason;
  return new ServiceError('request_timeout', {
    detail: 'The caller hung up before the robot answered. The command may still be running.',
    cause: reason,
  });
}
