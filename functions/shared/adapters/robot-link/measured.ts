import { performance } from 'node:perf_hooks';
import { ServiceError } from '../../errors.ts';
import type { Metrics } from '../metrics/port.ts';
import type { RobotCommand, RobotLink, Sender, SendOptions } from './port.ts';

/**
 * A link whose round trips are counted by command. An answer that came at once leaves at once: no promise is added.
 * A caller that hung up is no failure of the robot and is not counted.
 */
export function measured(link: RobotLink, metrics: Metrics): RobotLink {
  function measure<T>(command: string, call: () => T | Promise<T>): T | Promise<T> {
    const started = performance.now();
    const count = (outcome: 'ok' | 'failed') =>
      metrics.robotRoundTrip(command, outcome, (performance.now() - started) / 1000);
    const fail = (error: unknown): never => {
      if (isRobotFailure(error)) count('failed');
      throw error;
    };
    const succeed = (value: T): T => {
      count('ok');
      return value;
    };
    let answer: T | Promise<T>;
    try {
      answer = call();
    } catch (error) {
      return fail(error);
    }
    return answer instanceof Promise ? answer.then(succeed, fail) : succeed(answer);
  }

  return {
    kind: link.kind,
    fence: link.fence,
    connected: () => link.connected(),
    problem: () => link.problem?.(),
    catalogue: () => link.catalogue(),
    send: (command: RobotCommand, options: SendOptions) => measure(command.command, () => link.send(command, options)),
    stop: (options: SendOptions, sender?: Sender) => measure('stop', () => link.stop(options, sender)),
    thaw: async () => link.thaw?.(),
    close: () => link.close(),
  };
}

function isRobotFailure(error: unknown): boolean {
  return !(error instanceof ServiceError) || error.code.startsWith('robot_');
}
