import type { SendOptions } from '../shared/adapters/robot-link/port.ts';
import { ServiceError } from '../shared/errors.ts';

/**
 * How long one answer of the robot is waited for: until the deadline, or until the caller hangs up. Most answers come at
 * once; only for those that do not are a timer and a listener made, and both are gone when the wait is over.
 */
export class Patience implements SendOptions {
  readonly deadline: number;
  readonly #milliseconds: number;
  readonly #caller: { readonly signal: AbortSignal } | undefined;
  #controller: AbortController | undefined;

  /** @param caller its signal aborts when the caller no longer waits; absent: nothing but the deadline ends the wait. */
  constructor(now: number, milliseconds: number, caller?: { readonly signal: AbortSignal }) {
    this.deadline = now + milliseconds;
    this.#milliseconds = milliseconds;
    this.#caller = caller;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /**
   * The answer, unless the wait ends before.
   * @throws ServiceError `robot_timeout` at the deadline; `request_timeout`, which nobody reads, after a hang-up.
   */
  wait<T>(answer: Promise<T>): Promise<T> {
    const { signal } = this;
    const giveUp = (reason: unknown) => this.#controller?.abort(reason);
    const caller = this.#caller?.signal;
    const hangUp = () => caller && giveUp(hungUp(caller));
    const timer = setTimeout(() => giveUp(timeout(this.#milliseconds)), this.#milliseconds);
    caller?.addEventListener('abort', hangUp);
    return new Promise<T>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      if (caller?.aborted) hangUp();
      answer.then(resolve, reject);
    }).finally(() => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', hangUp);
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
