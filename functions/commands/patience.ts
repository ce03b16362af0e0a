import type { SendOptions } from '../shared/adapters/robot-link/port.ts';
import { ServiceError } from '../shared/errors.ts';

/** Who waits for an answer. The signals are looked at only when there is a wait. */
export interface Waiter {
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal;
  /** Aborts when a stop has made the wait pointless. */
  readonly overtaken?: AbortSignal | undefined;
}

/**
 * How long one answer of the robot is waited for: until the deadline, or until the caller hangs up. Most answers come at
 * once; only for those that do not are a timer and a listener made, and both are gone when the wait is over.
 */
export class Patience implements SendOptions {
  readonly deadline: number;
  readonly #milliseconds: number;
  readonly #caller: Waiter | undefined;
  readonly beginBy?: number;
  readonly #endedByStop: boolean;
  #controller: AbortController | undefined;

  /**
   * @param caller absent: nothing but the deadline ends the wait.
   * @param longWait for an answer that may take minutes: the latest start, and a stop behind it on the connection ends it.
   */
  constructor(now: number, milliseconds: number, caller?: Waiter, longWait?: { readonly beginBy: number }) {
    this.deadline = now + milliseconds;
    this.#milliseconds = milliseconds;
    this.#caller = caller;
    this.#endedByStop = longWait !== undefined;
    if (longWait) this.beginBy = longWait.beginBy;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /**
   * The answer, unless the wait ends before.
   * @throws ServiceError `robot_timeout` at the deadline; `stopped` when a stop overtook it; `request_timeout`, which
   * nobody reads, after a hang-up.
   */
  wait<T>(answer: Promise<T>): Promise<T> {
    const { signal } = this;
    const giveUp = (reason: unknown) => this.#controller?.abort(reason);
    const overtaken = this.#endedByStop ? this.#caller?.overtaken : undefined;
    const enders = [this.#caller?.signal, overtaken].filter((ender) => ender !== undefined);
    const end = ({ target }: Event) => giveUp(hungUp(target as AbortSignal)); // as: listens to signals only
    const timer = setTimeout(() => giveUp(timeout(this.#milliseconds)), this.#milliseconds);
    for (const ender of enders) ender.addEventListener('abort', end);
    return new Promise<T>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      const ended = enders.find(({ aborted }) => aborted);
      if (ended) giveUp(hungUp(ended));
      answer.then(resolve, reject);
    }).finally(() => {
      clearTimeout(timer);
      for (const ender of enders) ender.removeEventListener('abort', end);
    });
  }
}

function timeout(milliseconds: number): ServiceError {
  return new ServiceError('robot_timeout', {
    detail: `The robot did not answer within ${milliseconds / 1000} s. The command may have run; what it has begun goes on.`,
    members: { command_ran: 'maybe' },
  });
}

/** The error after a hang-up; who aborts may say why, with an error of ours. */
export function hungUp({ reason }: AbortSignal): ServiceError {
  if (reason instanceof ServiceError) return reason;
  return new ServiceError('request_timeout', {
    detail: 'The caller stopped waiting before the robot answered. What the robot has begun goes on.',
    cause: reason,
  });
}
