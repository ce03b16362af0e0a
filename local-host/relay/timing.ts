import { failed } from '../../functions/shared/robot-link/adapters/mqtt/outcome.ts';

/** How far the sender's clock may be ahead of ours. A command can start late by at most this much. */
export const MAX_CLOCK_SKEW_MS = 2_000;

/**
 * Longest time between sending a command and starting it, which is that of a waiting command. Later deadlines are
 * capped.
 */
export const MAX_LIFETIME_MS = 600_000;

interface Times {
  readonly issued_at: number;
  readonly deadline: number;
  /** Latest start of a command that may run for a long time. */
  readonly begin_by?: number;
}

/**
 * Returns until when a command may start, by our clock. Both times come from another machine, so lateness can only be
 * judged if the clocks agree. A message from the future shows that they do not, and is rejected because it might be
 * late by any amount. If our own clock is ahead, messages only appear to be late.
 * @throws ServiceError `robot_timeout` when the message is late, `robot_unavailable` when the clocks disagree.
 */
export function latestStart({ issued_at, begin_by, ...times }: Times, now: number): number {
  const deadline = Math.min(times.deadline, issued_at + MAX_LIFETIME_MS);
  if (issued_at - now > MAX_CLOCK_SKEW_MS) {
    const seconds = ((issued_at - now) / 1000).toFixed(1);
    throw failed(
      'robot_unavailable',
      `The robot's clock is ${seconds} s behind that of the service. Synchronize both with NTP.`,
      'no',
    );
  }
  if (now >= Math.min(deadline, begin_by ?? deadline)) {
    const seconds = ((now - issued_at) / 1000).toFixed(1);
    throw failed(
      'robot_timeout',
      `The command reached the robot ${seconds} s after it was sent, which is too late. If it did not take that long, the two clocks disagree: synchronize both with NTP.`,
      'no',
    );
  }
  return Math.min(deadline, now + (deadline - issued_at));
}
