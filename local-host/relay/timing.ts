import { failed } from '../../functions/shared/adapters/robot-link/mqtt/outcome.ts';

/** How far the clock of the service may stand ahead of ours, in ms. By so much, and no more, can a command begin late. */
export const MOST_SKEW_MS = 2_000;

/** Longest time after which a command may begin, in ms: what a command that waits may take. A later deadline counts as this one. */
export const LONGEST_LIFE_MS = 600_000;

interface Times {
  readonly issued_at: number;
  readonly deadline: number;
  /** Latest start of a command that may wait for long. */
  readonly begin_by?: number;
}

/**
 * Until when a message may begin, by our clock. Both times come from another machine, so lateness can only be judged
 * while the two clocks agree: a message from the future shows that they do not, and is refused, since it might be late by
 * any amount. With a clock that runs ahead messages merely seem late.
 * @throws ServiceError `robot_timeout` when it is late, `robot_unavailable` when the clocks disagree.
 */
export function beginsUntil({ issued_at, begin_by, ...times }: Times, now: number): number {
  const deadline = Math.min(times.deadline, issued_at + LONGEST_LIFE_MS);
  if (issued_at - now > MOST_SKEW_MS) {
    const seconds = ((issued_at - now) / 1000).toFixed(1);
    throw failed(
      'robot_unavailable',
      `The clock of the robot stands ${seconds} s behind that of the service; set both by NTP.`,
      'no',
    );
  }
  if (now >= Math.min(deadline, begin_by ?? deadline)) {
    const seconds = ((now - issued_at) / 1000).toFixed(1);
    throw failed(
      'robot_timeout',
      `The command reached the robot ${seconds} s after it was sent, which is too late. If that is not so, the two clocks disagree; set both by NTP.`,
      'no',
    );
  }
  return Math.min(deadline, now + (deadline - issued_at));
}
