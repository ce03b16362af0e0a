import { type ErrorCode, ServiceError } from '../../../errors.ts';
import { Declined, type RobotAnswer } from '../port.ts';
import type { AnswerMessage, Ran } from './messages.ts';
import { LONGEST_TEXT } from './presence.ts';

/** Most faults of a value that are passed on. */
const MOST_FAULTS = 10;
const RUN: Record<Ran, string> = { no: 'The command did not run.', maybe: 'The command may have run.' };
/** A failure that came over the wire says it already. */
const SAID = /\b(did not|may have) run\b/;

/** A failure that says whether the command ran: in its detail, and as the member `command_ran`. */
export function failed(code: ErrorCode, why: string, ran: Ran): ServiceError {
  return new ServiceError(code, {
    detail: SAID.test(why) ? why : `${why} ${RUN[ran]}`,
    members: { command_ran: ran },
    ...(code === 'robot_unavailable' ? { headers: { 'retry-after': '5' } } : {}),
  });
}

/** What a robot answered, as one of our answers. */
export function answerIn({ result, declined }: Extract<AnswerMessage, { ok: true }>): RobotAnswer {
  return declined === undefined ? result : new Declined(result, declined.slice(0, LONGEST_TEXT));
}

/** What a robot refuses a command with, as one of our errors. */
export function refused({ code, detail, ran, errors }: Extract<AnswerMessage, { ok: false }>['error']): ServiceError {
  const error = failed(code, detail.slice(0, LONGEST_TEXT), ran);
  if (!errors?.length) return error;
  const { message, headers, members = {} } = error;
  return new ServiceError(code, { detail: message, headers, members, errors: errors.slice(0, MOST_FAULTS) });
}
