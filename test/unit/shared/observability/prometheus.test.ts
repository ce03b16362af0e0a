import { afterEach, describe, expect, it } from '@jest/globals';
import {
  createPrometheusMetrics,
  type PrometheusMetrics,
} from '../../../../functions/shared/observability/adapters/metrics/prometheus.ts';

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

describe('Prometheus metrics', () => {
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

  it('show every robot counter from the start, so that an alert sees the first increase', async () => {
    const made = metrics();
    const before = await lines(made);
    for (const series of [
      'robot_stops_total{outcome="confirmed"} 0',
      'robot_stops_total{outcome="not_confirmed"} 0',
      'robot_stops_total{outcome="not_delivered"} 0',
      'robot_motion_refused_total{code="stopped"} 0',
      'robot_id_conflicts_total{seen_by="relay"} 0',
      'robot_presence_faults_total{part="message"} 0',
      'robot_link_losses_total{link="mqtt"} 0',
      'relay_link_loss_stops_total 0',
      'robot_clock_refusals_total{reason="late"} 0',
      'robot_calls_under_way 0',
      'budget_exceeded_total{budget="robot_calls"} 0',
    ]) {
      expect(before).toContain(series);
    }
    made.robotStop('not_confirmed');
    made.presenceFaults('entry', 3);
    made.linkLossStop();
    made.robotCalls(1);
    made.robotCalls(1);
    made.robotCalls(-1);
    const after = await lines(made);
    expect(after).toContain('robot_stops_total{outcome="not_confirmed"} 1');
    expect(after).toContain('robot_presence_faults_total{part="entry"} 3');
    expect(after).toContain('relay_link_loss_stops_total 1');
    expect(after).toContain('robot_calls_under_way 1');
  });

  it('include the process and the event loop lag', async () => {
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

  it('bound the labels for unknown methods and a flood of routes', async () => {
    const made = metrics();
    for (const method of ['BREW', 'PROPFIND']) made.request('GET /status', method, 405, 0.001);
    for (let route = 0; route < 5000; route += 1) made.request(`GET /${route}`, 'GET', 404, 0.001);
    const counted = (await lines(made)).filter((line) => line.startsWith('http_requests_total{'));
    expect(counted).toContain('http_requests_total{route="/status",method="other",status="405"} 2');
    expect(counted.length).toBeLessThanOrEqual(512);
  });
});
