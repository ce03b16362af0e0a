import { type ErrorCode, ServiceError, type ServiceErrorOptions } from '../errors.ts';
import type { Budget } from './metrics.port.ts';

/** A refusal because a budget is used up. The pipeline counts it, and logs it at most once a minute. */
export class BudgetExceeded extends ServiceError {
  readonly budget: Budget;

  constructor(budget: Budget, code: ErrorCode, options: ServiceErrorOptions) {
    super(code, options);
    this.budget = budget;
  }
}
