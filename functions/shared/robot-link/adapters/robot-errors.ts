import { ServiceError } from '../../errors.ts';

/** When to try again, in seconds. */
const RETRY = { 'retry-after': '5' };

/** `robot_unavailable` with what to do about it. */
export function robotUnavailable(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('robot_unavailable', { detail, headers: RETRY, cause });
}

/** The error of every pending call when the connection is lost. */
export function linkBroken(): ServiceError {
  const detail =
    'The link to the robot was lost before it responded. What was sent may have been carried out, or may still be.';
  return new ServiceError('robot_unavailable', { detail, headers: RETRY, members: { command_ran: 'maybe' } });
}

/** `robot_timeout`: the deadline passed before the command could be sent. */
export function tooLate(): ServiceError {
  return new ServiceError('robot_timeout', { detail: 'The deadline of this command passed before it could begin.' });
}
