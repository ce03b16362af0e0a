import { ServiceError } from '../shared/errors.ts';

/** The error with which a stop was answered, saying also whether both processes that send to the robot know of it. */
export function withFenced({ code, message, headers, members, cause }: ServiceError, fenced: boolean): ServiceError {
  return new ServiceError(code, { detail: message, headers, members: { ...members, fenced }, cause });
}
