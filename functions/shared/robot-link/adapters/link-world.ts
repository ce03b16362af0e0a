import type { Logger } from '../../observability/logger.ts';
import type { Metrics } from '../../observability/metrics.port.ts';
import type { Refusals } from '../../observability/refusals.ts';

/** What every link to a robot works with. */
export interface LinkWorld {
  readonly logger: Logger;
  /** Now, in ms since the epoch. */
  readonly clock: () => number;
  /** Absent: nothing is counted. */
  readonly metrics?: Metrics;
  /** Counts and logs what is too much of a robot, a bridge or a broker. */
  readonly refusals?: Refusals | undefined;
  /** Nothing but a stop is ever sent: what only commands need is neither advertised nor followed. */
  readonly stopsOnly?: boolean | undefined;
}
