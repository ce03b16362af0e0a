import { join } from 'node:path';
import { type Config, ConfigError } from '../../config.ts';
import { KeptNumbers } from '../../control/adapters/kept-numbers.ts';
import { Fence } from '../../control/fence.ts';
import type { Logger } from '../../logger.ts';
import type { Metrics } from '../metrics/port.ts';
import { measured } from './measured.ts';
import type { RobotLink, Robots } from './port.ts';

/**
 * Opens the way to the robot that SERVICE_ROBOT_URL names: `sim:` is simulated, `mqtt:` and `mqtts:` lead to a robot
 * behind a broker, `ws:` and `wss:` to a rosbridge server, absent is none at all. Round trips are counted in `metrics`.
 * @throws ConfigError for a scheme this service does not speak.
 */
export async function openRobotLink(
  config: Config,
  logger: Logger,
  clock: () => number,
  metrics: Metrics,
): Promise<RobotLink> {
  const url = config.SERVICE_ROBOT_URL;
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
    return measured(openSimulatedRobot(clock, await openFence(config, logger)), metrics);
  }
  if (scheme === 'mqtt:' || scheme === 'mqtts:') {
    const { openMqttLink } = await import('./mqtt/open.ts');
    return measured(await openMqttLink(config, { logger, clock, fence: await openFence(config, logger) }), metrics);
  }
  if (scheme === 'ws:' || scheme === 'wss:') {
    const { openRosbridge } = await import('./rosbridge/open.ts');
    const fence = await openFence(config, logger);
    return measured(await openRosbridge(config, { url, logger, clock, fence }), metrics);
  }
  throw new ConfigError(
    scheme === undefined
      ? 'SERVICE_ROBOT_URL: it has no scheme; it should look like "sim:", "mqtts://broker/robot-id" or "ws://robot:9090"'
      : `SERVICE_ROBOT_URL: the scheme "${scheme}" is not known; "sim:", "mqtt:", "mqtts:", "ws:" and "wss:" are`,
  );
}

/** The fence of this machine's robot. A function in the cloud has no disk; what it counts ends with it. */
async function openFence(config: Config, logger: Logger): Promise<Fence> {
  if (config.inCloud) return new Fence();
  return new Fence(await KeptNumbers.open(join(config.SERVICE_DATA_DIR, 'fence.json'), logger));
}

/** The way to one robot of a fleet, its round trips counted. */
export async function openFleetLink(robots: Robots, robotId: string, metrics: Metrics): Promise<RobotLink> {
  return measured(await robots.robot(robotId), metrics);
}
