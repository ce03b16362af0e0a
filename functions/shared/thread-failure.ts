import { type ErrorCode, type Fault, ServiceError } from './errors.ts';
import { codeOf } from './kit/error-code.ts';
import { BudgetExceeded } from './observability/budget-exceeded.ts';
import type { Budget } from './observability/metrics.port.ts';

/** A failure as it crosses from a thread to the main one. */
export interface Failure {
  readonly code: ErrorCode | undefined;
  readonly detail: string;
  readonly errors?: readonly Fault[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly members?: Readonly<Record<string, unknown>> | undefined;
  readonly budget?: Budget | undefined;
  readonly cause?: { readonly message: string; readonly code: string | undefined; readonly stack: string | undefined };
}

/** The failure as plain data. */
export function toFailure(error: unknown): Failure {
  if (error instanceof ServiceError) {
    const { code, message, errors, headers, members } = error;
    return {
      code,
      detail: message,
      errors,
      headers,
      members,
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

/** The error that {@link toFailure} was given, as far as it crosses. */
export function fromFailure({ code, detail, errors, headers, members, budget, cause }: Failure): Error {
  const original = cause
    ? Object.assign(new Error(cause.message), { code: cause.code, stack: cause.stack })
    : undefined;
  if (code === undefined) return original ?? new Error('the thread failed');
  const options = { detail, headers, ...(errors ? { errors } : {}), ...(members ? { members } : {}), cause: original };
  return budget ? new BudgetExceeded(budget, code, options) : new ServiceError(code, options);
}
