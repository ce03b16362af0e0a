import { type Config, ConfigError } from '../../config.ts';
import type { Fence } from '../../control/fence.ts';
import type { JogController } from '../../control/jog-controller.ts';
import type { LeaseRegister } from '../../control/lease-register.ts';
import { type Events, NO_EVENTS } from '../../events/events.port.ts';
import type { Metrics } from '../../observability/metrics.port.ts';
import type { Runs } from '../../runs/runs.ts';
import type { RobotLink, Robots } from '../port.ts';
import type { SimulatedHome } from '../simulated-home.ts';
import { announced } from './announced.ts';
import { controlled } from './controlled.ts';
import { emergencyStopped } from './emergency-stopped.ts';
import type { LinkWorld } from './link-world.ts';
import { measured } from './measured.ts';
import { sharedOut } from './shared-out.ts';
import { withRuns } from './skills/with-runs.ts';

/** Timeout of a stop by the lease register, after which it is repeated. */
const LEASE_STOP_TIMEOUT_MS = 5_000;

interface Surroundings extends LinkWorld {
  readonly metrics: Metrics;
  /** The fence of this robot, opened only if there is a robot. */
  readonly openFence: () => Promise<Fence>;
  /** The lease and jog of this robot; absent in the cloud. */
  readonly control?: { readonly leases: LeaseRegister; readonly jogs: JogController } | undefined;
  /** Runs of skills on this machine; absent: there are none. */
  readonly runs?: Runs | undefined;
  /** What a simulated robot shares with other simulated parts. */
  readonly openHome?: () => Promise<SimulatedHome>;
  /** Where events of stops and missions are published; absent: nowhere. */
  readonly events?: Events;
}

/**
 * Opens the way to the robot that SERVICE_ROBOT_URL names: `sim:` is simulated, `mqtt:` and `mqtts:` lead to a robot
 * behind a broker, `ws:` and `wss:` to a rosbridge server, absent means none at all. Round trips are counted in
 * `metrics`, what is too much of a robot or a broker in `refusals`.
 * @throws ConfigError for a scheme this service does not speak.
 */
export async function openRobotLink(
  config: Config,
  { openFence, openHome, control, runs, events = NO_EVENTS, ...world }: Surroundings,
): Promise<RobotLink> {
  const { logger, clock, metrics } = world;
  const url = config.SERVICE_ROBOT_URL;
  const complete = (link: RobotLink) => {
    const safe = emergencyStopped(link, { events, logger, clock, onEngaged: () => runs?.stopAll() });
    const led = control ? controlled(safe, control.leases, control.jogs) : safe;
    const whole = announced(measured(sharedOut(led), metrics), events);
    control?.leases.controls(async () => {
      const timeout = { deadline: clock() + LEASE_STOP_TIMEOUT_MS, signal: AbortSignal.timeout(LEASE_STOP_TIMEOUT_MS) };
      return whole.stop(timeout);
    });
    if (!runs) return whole;
    return withRuns(whole, { runs, clock, leases: control?.leases });
  };
  if (url === undefined) {
    const { noRobot } = await import('./none.ts');
    logger.warn('SERVICE_ROBOT_URL is not set: commands and stop are answered with robot_unavailable');
    return noRobot();
  }
  const scheme = /^([a-z][a-z0-9+.-]*:)/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === 'sim:') {
    const { openSimulatedRobot } = await import('./simulated/simulated-robot.ts');
    if (config.SERVICE_MODE === 'robot') {
      logger.warn('SERVICE_ROBOT_URL is "sim:" in robot mode: commands move a simulated robot, not this machine');
    }
    return complete(openSimulatedRobot(clock, await openFence(), { home: await openHome?.(), events }));
  }
  if (scheme === 'mqtt:' || scheme === 'mqtts:') {
    const { openMqttLink } = await import('./mqtt/open.ts');
    const fence = await openFence();
    return complete(await openMqttLink(config, { ...world, fence, events }));
  }
  if (scheme === 'ws:' || scheme === 'wss:') {
    const { openRosbridge } = await import('./rosbridge/open.ts');
    const fence = await openFence();
    return complete(await openRosbridge(config, { ...world, url, fence, events }));
  }
  throw new ConfigError(
    scheme === undefined
      ? 'SERVICE_ROBOT_URL: it has no scheme; it should look like "sim:", "mqtts://broker/robot-id" or "ws://robot:9090"'
      : `SERVICE_ROBOT_URL: the scheme "${scheme}" is not known; "sim:", "mqtt:", "mqtts:", "ws:" and "wss:" are`,
  );
}

/** The way to one robot of a fleet, its round trips counted; its stops and missions are told to `events`. */
export async function openFleetLink(
  robots: Robots,
  robotId: string,
  { logger, clock, metrics, events }: LinkWorld & { readonly metrics: Metrics; readonly events: Events },
): Promise<RobotLink> {
  const link = emergencyStopped(await robots.robot(robotId, events), { events, logger, clock });
  return announced(measured(sharedOut(link), metrics), events);
}
