import type { AuditEntry, AuditTrail } from '../../functions/shared/observability/audit-trail.port.ts';
import { type Metrics, NO_METRICS } from '../../functions/shared/observability/metrics.port.ts';
import {
  openSimulatedRobot,
  type SimulatedRobot,
} from '../../functions/shared/robot-link/adapters/simulated/simulated-robot.ts';
import type { RobotLink } from '../../functions/shared/robot-link/port.ts';
import { openRelay, type Relay } from '../../local-host/relay/relay.ts';
import type { MissionSource } from '../../local-host/relay/report-publisher.ts';
import { SeenIds } from '../../local-host/relay/seen-ids.ts';
import { silentLogger, testConfig } from './world.ts';

/** An audit trail in memory. */
export function fakeAudit(): AuditTrail & { readonly kept: AuditEntry[] } {
  const kept: AuditEntry[] = [];
  return {
    kept,
    append: (entry) => kept.push(entry),
    read: async () => ({ entries: kept, next: null }),
    problem: () => undefined,
    close: async () => undefined,
  };
}

export interface RelayedRobot {
  readonly robot: SimulatedRobot;
  readonly audit: ReturnType<typeof fakeAudit>;
  readonly relay: Relay;
}

interface JoinOptions {
  readonly robotId?: string;
  readonly clock?: () => number;
  /** What the relay speaks to in place of the simulated robot. */
  readonly link?: RobotLink;
  readonly metrics?: Metrics;
  readonly missions?: MissionSource;
  readonly probeIntervalMs?: number;
}

/** A simulated robot that has joined a broker. */
export function joinBroker(
  url: string,
  { robotId = 'robot-1', clock = Date.now, link, metrics = NO_METRICS, missions, probeIntervalMs }: JoinOptions = {},
): RelayedRobot {
  const robot = openSimulatedRobot(Date.now);
  const audit = fakeAudit();
  const config = testConfig({ SERVICE_RELAY_URL: url, SERVICE_ROBOT_ID: robotId });
  const parts = {
    lifecycle: { draining: false },
    config,
    robotLink: link ?? robot,
    clock,
    logger: silentLogger,
    seen: new SeenIds(),
    metrics,
    ...(missions === undefined ? {} : { missions }),
    ...(probeIntervalMs === undefined ? {} : { probeIntervalMs }),
    auditTrail: audit,
  };
  return { robot, audit, relay: openRelay(parts) };
}
