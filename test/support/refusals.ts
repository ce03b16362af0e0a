import type { Budget } from '../../functions/shared/observability/metrics.port.ts';
import { Refusals } from '../../functions/shared/observability/refusals.ts';
import { loggerInto } from './world.ts';

/** Refusals that say how often each budget was exceeded, and what of it was logged. */
export function countedRefusals(clock: () => number = Date.now) {
  const counts: Partial<Record<Budget, number>> = {};
  const lines: string[] = [];
  const logger = loggerInto(lines, 'warn');
  const budgetExceeded = (budget: Budget) => {
    counts[budget] = (counts[budget] ?? 0) + 1;
  };
  return { refusals: new Refusals({ budgetExceeded }, logger, clock), counts, lines };
}
