import { Registry } from 'prom-client';
import type { Budget, Metrics } from '../../metrics.port.ts';
import { createEventMetrics } from './event-metrics.ts';
import { watchProcess } from './process-metrics.ts';
import { createRobotMetrics } from './robot-metrics.ts';
import { CounterFamily, labelledCounter, TimerFamily } from './tally.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** More routes and commands than the service can have; beyond it a label would come from outside. */
const MAX_CHILDREN = 512;
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
const ROBOT_BUCKETS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600];

export interface PrometheusMetrics extends Metrics {
  /** Ends the observation of the process; what was counted stays readable. */
  close(): void;
}

/** Counts in a registry of its own, so that several services in one process do not count into each other. */
export function createPrometheusMetrics(): PrometheusMetrics {
  const registry = new Registry();
  const requests = new CounterFamily(
    { name: 'http_requests_total', help: 'Answered requests by route, method and status.' },
    ['route', 'method', 'status'],
    registry,
  );
  const durations = new TimerFamily(
    {
      name: 'http_request_duration_seconds',
      help: 'Time from the request to its answer, without the transfer of a streamed body.',
    },
    REQUEST_BUCKETS,
    registry,
  );
  const roundTrips = new TimerFamily(
    {
      name: 'robot_round_trip_seconds',
      help: 'Time from sending a command to the answer of the robot, by command and outcome.',
    },
    ROBOT_BUCKETS,
    registry,
  );
  const stopWatching = watchProcess(registry);

  // Nested maps: a key made of several strings would be hashed at each request.
  const routes = remembered((route: string) =>
    remembered((method: string) => {
      const labels = { route, method };
      const statuses = remembered((status: number) => requests.count({ ...labels, status: String(status) }));
      return { timer: durations.timer(labels), statuses };
    }),
  );
  const commands = remembered((command: string) =>
    remembered((outcome: string) => roundTrips.timer({ command, outcome })),
  );

  return {
    ...createRobotMetrics(registry),
    ...createEventMetrics(registry),
    request(route, method, status, seconds) {
      const meter = routes(patternOf(route))?.(METHODS.has(method) ? method : 'other');
      meter?.timer.observe(seconds);
      meter?.statuses(status)?.increment();
    },
    tokenMinted: labelledCounter(registry, 'auth_tokens_minted_total', 'Tokens signed, by occasion.', 'kind'),
    authFailure: labelledCounter(registry, 'auth_failures_total', 'Refused keys and tokens, by error code.', 'code'),
    robotRoundTrip: (command, outcome, seconds) => commands(command)?.(outcome)?.observe(seconds),
    budgetExceeded: labelledCounter<Budget>(
      registry,
      'budget_exceeded_total',
      'What was refused or taken back because its budget was used up, by budget.',
      'budget',
      ['robot_calls'],
    ),
    exposition: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
    close: stopWatching,
  };
}

/** `GET /status` is the route `/status`: the method is a label of its own. */
function patternOf(route: string): string {
  return route.slice(route.indexOf(' ') + 1);
}

/** Remembers what `make` gave; undefined for new keys once there are implausibly many. */
function remembered<Key, Child>(make: (key: Key) => Child): (key: Key) => Child | undefined {
  const children = new Map<Key, Child>();
  return (key) => {
    let child = children.get(key);
    if (child === undefined && children.size < MAX_CHILDREN) {
      child = make(key);
      children.set(key, child);
    }
    return child;
  };
}
