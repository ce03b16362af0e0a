import { createPrometheusMetrics } from '../functions/shared/adapters/metrics/prometheus.ts';
import { give, type Surroundings } from '../functions/shared/port.ts';
import { apiDocument, metrics } from '../functions/shared/ports.ts';
import { apiDocumentOf } from './openapi.ts';
import { ROUTES } from './routes.ts';

export interface Given {
  readonly ports: NonNullable<Surroundings['given']>;
  /** Ends what was begun for it. */
  close(): void;
}

/** What a host can give its endpoints and a single Lambda cannot: counting, and the document of the whole API. */
export function givenByHost(): Given {
  const counting = createPrometheusMetrics();
  return {
    ports: [give(metrics, counting), give(apiDocument, apiDocumentOf(ROUTES))],
    close: () => counting.close(),
  };
}
