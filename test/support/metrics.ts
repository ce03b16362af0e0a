import { type Metrics, NO_METRICS } from '../../functions/shared/observability/metrics.port.ts';

/** Metrics that remember what was counted, call by call. */
export function countingMetrics() {
  const counted: Array<readonly [name: string, ...args: unknown[]]> = [];
  const metrics = Object.fromEntries(
    Object.keys(NO_METRICS).map((name) => [name, (...args: unknown[]) => void counted.push([name, ...args])]),
  ) as unknown as Metrics; // as: it has every method of NO_METRICS
  return {
    metrics,
    /** The arguments of each call of one method. */
    calls: (name: keyof Metrics) => counted.filter(([called]) => called === name).map(([, ...args]) => args),
  };
}
