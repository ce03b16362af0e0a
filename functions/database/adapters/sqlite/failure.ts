import { type ErrorCode, type Fault, ServiceError, unavailable } from '../../../shared/errors.ts';
import { codeOf, isDiskFull } from '../../../shared/kit/error-code.ts';
import { BudgetExceeded } from '../../../shared/observability/budget-exceeded.ts';
import type { Budget } from '../../../shared/observability/metrics.port.ts';

/** A failure as it crosses from a thread to the main one. */
export interface Failure {
  readonly code: ErrorCode | undefined;
  readonly detail: string;
  readonly errors?: readonly Fault[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly budget?: Budget | undefined;
  readonly cause?: { readonly message: string; readonly code: string | undefined; readonly stack: string | undefined };
}

const NO_ROOM = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE']);
const UNUSABLE = /^SQLITE_(CORRUPT|NOTADB|CANTOPEN|READONLY|IOERR|PERM)/;

/** Gives what SQLite and the file system throw a code; what nobody foresaw passes as it is. */
export function named(error: unknown): unknown {
  const code = codeOf(error);
  if (error instanceof ServiceError || code === undefined) return error;
  if (NO_ROOM.has(code) || isDiskFull(error)) {
    return new ServiceError('storage_full', {
      detail: 'The storage is full; nothing was changed. Free some space and try again.',
      cause: error,
    });
  }
  if (code.startsWith('SQLITE_BUSY')) return busy('Another program holds the database.', error);
  if (UNUSABLE.test(code)) {
    return unavailable('database', `SQLite reports ${code}. The log and a restart of the service tell more.`, error);
  }
  if (code === 'SQLITE_ERROR' && isSpoilt(error)) {
    const remedy =
      'Its file was changed from outside and lacks tables. The log and a restart of the service tell more.';
    return unavailable('database', remedy, error);
  }
  return error;
}

/** The tables were there when the file was opened, and no statement names another. */
function isSpoilt(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'message' in error && /^no such table/.test(String(error.message))
  );
}

/** 409 for now: the same request works later. */
export function busy(why: string, cause?: unknown): ServiceError {
  return new ServiceError('busy', {
    detail: `${why} Nothing was changed; try again in a moment.`,
    headers: { 'retry-after': '2' },
    cause,
  });
}

export function toFailure(thrown: unknown): Failure {
  const error = named(thrown);
  if (error instanceof ServiceError) {
    const { code, message, errors, headers } = error;
    return {
      code,
      detail: message,
      errors,
      headers,
      budget: error instanceof BudgetExceeded ? error.budget : undefined,
      ...(error.cause === undefined ? {} : { cause: facts(error.cause) }),
    };
  }
  return { code: undefined, detail: '', headers: {}, cause: facts(error) };
}

function facts(error: unknown): NonNullable<Failure['cause']> {
  if (!(error instanceof Error)) return { message: String(error), code: undefined, stack: undefined };
  return { message: error.message, code: codeOf(error), stack: error.stack };
}

export function fromFailure({ code, detail, errors, headers, budget, cause }: Failure): Error {
  const original = cause
    ? Object.assign(new Error(cause.message), { code: cause.code, stack: cause.stack })
    : undefined;
  if (code === undefined) return original ?? new Error('the database thread failed');
  const options = { detail, headers, ...(errors ? { errors } : {}), cause: original };
  return budget ? new BudgetExceeded(budget, code, options) : new ServiceError(code, options);
}
