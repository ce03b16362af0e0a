import { afterEach, describe, expect, it } from '@jest/globals';
import {
  createPrometheusMetrics,
  type PrometheusMetrics,
} from '../../../../functions/shared/adapters/metrics/prometheus.ts';

const open: PrometheusMetrics[] = [];
function metrics(): PrometheusMetrics {
  const made = createPrometheusMetrics();
  open.push(made);
  return made;
}

afterEach(() => {
  for (const made of open.splice(0)) made.close();
});

const lines = async (made: PrometheusMetrics) => (await made.exposition()).text.split('\n');

describe('the Prometheus metrics', () => {
  it('count requests by route, method and status, and time them by route', async () => {
    const made = metrics();
    made.request('GET /status', 'GET', 200, 0.004);
    made.request('GET /status', 'GET', 200, 0.004);
    made.request('GET /status', 'HEAD', 503, 0.2);
    const text = await lines(made);
    expect(text).toContain('http_requests_total{route="/status",method="GET",status="200"} 2');
    expect(text).toContain('http_requests_total{route="/status",method="HEAD",status="503"} 1');
    expect(text).toContain('http_request_duration_seconds_bucket{le="0.0025",route="/status",method="GET"} 0');
    expect(text).toContain('http_request_duration_seconds_bucket{le="0.005",route="/status",method="GET"} 2');
    expect(text).toContain('http_request_duration_seconds_bucket{le="+Inf",route="/status",method="GET"} 2');
    expect(text).toContain('http_request_duration_seconds_sum{route="/status",method="GET"} 0.008');
    expect(text).toContain('http_request_duration_seconds_count{route="/status",method="HEAD"} 1');
  });

  it('count minted tokens, refused credentials, used-up budgets and round trips to the robot', async () => {
    const made = metrics();
    made.tokenMinted('publisher');
    made.authFailure('token_expired');
    made.robotRoundTrip('sound_level', 'failed', 0.3);
    made.budgetExceeded('bodies');
    const text = await lines(made);
    expect(text).toContain('budget_exceeded_total{budget="bodies"} 1');
    expect(text).toContain('auth_tokens_minted_total{kind="publisher"} 1');
    expect(text).toContain('auth_failures_total{code="token_expired"} 1');
    expect(text).toContain('robot_round_trip_seconds_count{command="sound_level",outcome="failed"} 1');
  });

  it('tell about the process, with the lag of the event loop', async () => {
    const text = (await metrics().exposition()).text;
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'process_open_fds',
      'nodejs_heap_size_used_bytes',
      'nodejs_eventloop_lag_seconds{quantile="0.99"}',
    ]) {
      expect(text).toMatch(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} \\d`, 'm'));
    }
  });

  it('of two services in one process do not mix', async () => {
    const [one, other] = [metrics(), metrics()];
    one.tokenMinted('auth');
    expect((await other.exposition()).text).not.toContain('auth_tokens_minted_total{kind="auth"} 1');
  });

  it('keep a method nobody knows and a flood of routes from making labels without end', async () => {
    const made = metrics();
    for (const method of ['BREW', 'PROPFIND']) made.request('GET /status', method, 405, 0.001);
    for (let route = 0; route < 5000; route += 1) made.request(`GET /${route}`, 'GET', 404, 0.001);
    const counted = (await lines(made)).filter((line) => line.startsWith('http_requests_total{'));
    expect(counted).toContain('http_requests_total{route="/status",method="other",status="405"} 2');
    expect(counted.length).toBeLessThanOrEqual(512);
  });
});
