import { type ErrorCode, ServiceError } from '../../../errors.ts';
import type { Ran } from './messages.ts';

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
