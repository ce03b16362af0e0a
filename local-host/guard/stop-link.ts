import type { Config } from '../../functions/shared/config.ts';
import { Fence } from '../../functions/shared/control/fence.ts';
import type { Logger } from '../../functions/shared/observability/logger.ts';
import type { RobotLink } from '../../functions/shared/robot-link/port.ts';

/**
 * A link of the guard's own to the robot, over which nothing but stop is ever sent. Only the code of its kind is
 * loaded.
 * @throws ConfigError when a setting is invalid.
 */
export async function openStopLink(config: Config, logger: Logger): Promise<RobotLink> {
  const url = config.SERVICE_ROBOT_URL ?? '';
  const world = { logger, clock: Date.now, fence: new Fence() };
  if (/^mqtts?:/i.test(url)) {
    const { openMqttLink } = await import('../../functions/shared/robot-link/adapters/mqtt/open.ts');
    return openMqttLink(config, { ...world, stopsOnly: true });
  }
  const { openRosbridge } = await import('../../functions/shared/robot-link/adapters/rosbridge/open.ts');
  return openRosbridge(config, { ...world, url, stopsOnly: true });
}
