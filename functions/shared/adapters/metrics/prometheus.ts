import { Counter, Histogram, Registry } from 'prom-client';
import type { Metrics } from './port.ts';
import { watchProcess } from './process-metrics.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** More routes and commands than the service can have; beyond it a label would come from outside. */
const MOST_CHILDREN = 512;
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
const ROBOT_BUCKETS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600];

export interface PrometheusMetrics extends Metrics {
  /** Ends the observation of the process; what was counted stays readable. */
  close(): void;
}

/** Counts in a registry of its own, so that several services in one process do not count into each other. */
export function createPrometheusMetrics(): PrometheusMetrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Answered requests by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to its answer, without the transfer of a streamed body.',
    labelNames: ['route', 'method'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const minted = new Counter({
    name: 'auth_tokens_minted_total',
    help: 'Tokens signed, by occasion.',
    labelNames: ['kind'],
    registers,
  });
  const failures = new Counter({
    name: 'auth_failures_total',
    help: 'Refused keys and tokens, by error code.',
    labelNames: ['code'],
    registers,
  });
  const roundTrips = new Histogram({
    name: 'robot_round_trip_seconds',
    help: 'Time from sending a command to the answer of the robot, by command and outcome.',
    labelNames: ['command', 'outcome'],
    buckets: ROBOT_BUCKETS,
    registers,
  });
  const stopWatching = watchProcess(registry);

  // Looking a child up in prom-client costs more than counting, so the children are remembered.
  const meters = bounded((key: string) => {
    const [method = '', route = ''] = key.split(' ');
    return {
      timer: durations.labels(route, method),
      counters: bounded((status: number) => requests.labels(route, method, String(status))),
    };
  });
  const robotTimers = bounded((key: string) => {
    const [outcome = '', command = ''] = key.split(' ');
    return roundTrips.labels(command, outcome);
  });

  return {
    request(route, method, status, seconds) {
      const meter = meters(`${METHODS.has(method) ? method : 'other'} ${patternOf(route)}`);
      meter?.counters(status)?.inc();
      meter?.timer.observe(seconds);
    },
    tokenMinted: (kind) => minted.inc({ kind }),
    authFailure: (code) => failures.inc({ code }),
    robotRoundTrip: (command, outcome, seconds) => robotTimers(`${outcome} ${command}`)?.observe(seconds),
    exposition: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
    close: stopWatching,
  };
}

/** `GET /status` is the route `/status`: the method is a label of its own. */
function patternOf(route: string): string {
  return route.slice(route.indexOf(' ') + 1);
}

/** Remembers what `make` gave; undefined for new keys once there are implausibly many. */
function bounded<Key, Child>(make: (key: Key) => Child): (key: Key) => Child | undefined {
  const children = new Map<Key, Child>();
  return (key) => {
    let child = children.get(key);
    if (child === undefined && children.size < MOST_CHILDREN) {
      child = make(key);
      children.set(key, child);
    }
    return child;
  };
}
