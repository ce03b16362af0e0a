/** What the service gives out in shares, so that no client can take all of it. */
export type Budget = 'connections' | 'socket_connections' | 'bodies' | 'answers' | 'readings';

/** What the service counts. Implementations must never throw: counting is not worth a failed request. */
export interface Metrics {
  /** One answered request; `route` is the pattern of the route table, never a URL. */
  request(route: string, method: string, status: number, seconds: number): void;
  tokenMinted(kind: 'auth' | 'refresh' | 'publisher'): void;
  authFailure(code: string): void;
  robotRoundTrip(command: string, outcome: 'ok' | 'failed', seconds: number): void;
  /** Something was refused, or taken back, because a budget is used up. */
  budgetExceeded(budget: Budget): void;
  /** The Prometheus text exposition and its media type. */
  exposition(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Counts nothing: for Lambda functions, which the platform counts, and for unit tests. */
export const NO_METRICS: Metrics = {
  request() {},
  tokenMinted() {},
  authFailure() {},
  robotRoundTrip() {},
  budgetExceeded() {},
  exposition: async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', text: '' }),
};
