import { performance } from 'node:perf_hooks';
import { ServiceError } from '../../errors.ts';
import {
  type Metrics,
  MOTION_REFUSALS,
  type MotionRefusal,
  type StopOutcome,
} from '../../observability/metrics.port.ts';
import type { RobotCommand, RobotLink, Sender, SendOptions } from '../port.ts';
import { passThrough } from './pass-through.ts';

/**
 * A link whose round trips are counted by command, and with them stops by outcome, motion that the fence refused and
 * calls under way. An answer that came at once leaves at once: no promise is added. A caller that hung up is no failure
 * of the robot and is not counted.
 */
export function measured(link: RobotLink, metrics: Metrics): RobotLink {
  function measure<T>(command: string, call: () => T | Promise<T>, onEnd: (failure?: unknown) => void): T | Promise<T> {
    const started = performance.now();
    const count = (outcome: 'ok' | 'failed') =>
      metrics.robotRoundTrip(command, outcome, (performance.now() - started) / 1000);
    const fail = (error: unknown): never => {
      if (isRobotFailure(error)) count('failed');
      onEnd(error);
      throw error;
    };
    const succeed = (value: T): T => {
      count('ok');
      onEnd();
      return value;
    };
    let answer: T | Promise<T>;
    try {
      answer = call();
    } catch (error) {
      return fail(error);
    }
    if (!(answer instanceof Promise)) return succeed(answer);
    metrics.robotCalls(1);
    return answer.finally(() => metrics.robotCalls(-1)).then(succeed, fail);
  }

  return passThrough(link, {
    send: (command: RobotCommand, options: SendOptions) =>
      measure(
        command.command,
        () => link.send(command, options),
        (failure) => {
          if (command.arrivedAt !== undefined && isRefusedMotion(failure)) metrics.motionRefusal(failure.code);
        },
      ),
    stop: (options: SendOptions, sender?: Sender) =>
      measure(
        'stop',
        () => link.stop(options, sender),
        (failure) => metrics.robotStop(outcomeOf(failure)),
      ),
  });
}

function isRobotFailure(error: unknown): boolean {
  return !(error instanceof ServiceError) || error.code.startsWith('robot_');
}

/** Refused by the fence or the lease: it certainly did not run. */
function isRefusedMotion(failure: unknown): failure is ServiceError & { readonly code: MotionRefusal } {
  if (!(failure instanceof ServiceError) || failure.members?.command_ran !== 'no') return false;
  return MOTION_REFUSALS.some((code) => code === failure.code);
}

/** A link that is down throws `robot_unavailable`; what was sent all the same says `maybe`. */
function outcomeOf(failure: unknown): StopOutcome {
  if (failure === undefined) return 'confirmed';
  const unsent =
    failure instanceof ServiceError && failure.code === 'robot_unavailable' && failure.members?.command_ran !== 'maybe';
  return unsent ? 'not_delivered' : 'not_confirmed';
}
