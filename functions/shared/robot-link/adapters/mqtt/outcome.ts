import { type ErrorCode, type Fault, ServiceError } from '../../../errors.ts';
import { Declined, Replaced, type RobotAnswer, Unanswered } from '../../port.ts';
import type { AnswerMessage, Ran } from './messages.ts';
import { MAX_TEXT_LENGTH } from './presence.ts';

/** Maximum number of problems of a value to pass on. */
const MAX_FAULTS = 10;
const RUN: Record<Ran, string> = { no: 'The command did not run.', maybe: 'The command may have run.' };
/** An error from the robot already says so. */
const SAID = /\b(did not|may have) run\b/;

/** Error codes that a stop may end with. */
const NOT_CONFIRMED: ReadonlySet<ErrorCode> = new Set(['robot_error', 'robot_timeout', 'robot_unavailable']);

/** An error that says whether the command ran, in its detail and in the member `command_ran`. */
export function failed(code: ErrorCode, why: string, ran: Ran): ServiceError {
  return new ServiceError(code, {
    detail: SAID.test(why) ? why : `${why} ${RUN[ran]}`,
    members: { command_ran: ran },
    ...(code === 'robot_unavailable' ? { headers: { 'retry-after': '5' } } : {}),
  });
}

/** Converts the result from a robot. */
export function answerIn(answer: Extract<AnswerMessage, { ok: true }>): RobotAnswer {
  const outcome = outcomeIn(answer);
  return answer.replaced ? new Replaced(outcome) : outcome;
}

function outcomeIn({ result, declined, unanswered }: Extract<AnswerMessage, { ok: true }>) {
  if (declined !== undefined) return new Declined(result, declined.slice(0, MAX_TEXT_LENGTH));
  return unanswered ? new Unanswered(result) : result;
}

/** Converts an error from a robot. */
export function refused({ code, detail, ran, errors }: Extract<AnswerMessage, { ok: false }>['error']): ServiceError {
  const error = failed(code, detail.slice(0, MAX_TEXT_LENGTH), ran);
  if (!errors?.length) return error;
  const { message, headers, members = {} } = error;
  return new ServiceError(code, {
    detail: message,
    headers,
    members,
    errors: errors.slice(0, MAX_FAULTS).map(shortened),
  });
}

/** `robot_error`: the response is malformed. */
export function unreadableAnswer(): ServiceError {
  const why = 'The response of the robot does not match docs/mqtt.schema.json; its program must be fixed.';
  return failed('robot_error', why, 'maybe');
}

/** Why a stop is not confirmed. Whatever the robot's code, the request itself is valid. */
export function notStopped(error: unknown): unknown {
  if (!(error instanceof ServiceError) || NOT_CONFIRMED.has(error.code)) return error;
  return new ServiceError('robot_error', {
    detail: `The robot did not confirm that it stands still: ${error.message}`,
    members: { command_ran: 'maybe' },
    cause: error,
  });
}

function shortened({ pointer, message }: Fault): Fault {
  return { pointer: pointer.slice(0, MAX_TEXT_LENGTH), message: message.slice(0, MAX_TEXT_LENGTH) };
}

/** An error about the times of a message, which mentions NTP; see "Clocks, deadlines, repetition" in docs/mqtt.md. */
export function untimelyIn({ code, detail }: { readonly code: string; readonly detail: string }) {
  if (!/\bNTP\b/.test(detail)) return undefined;
  if (code === 'robot_unavailable') return 'from_the_future';
  return code === 'robot_timeout' ? 'late' : undefined;
}
