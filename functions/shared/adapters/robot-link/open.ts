import type { Config } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import type { Metrics } from '../metrics/port.ts';
import type { RobotLink } from './port.ts';

export async function openRobotLink(
  _config: Config,
  _logger: Logger,
  _clock: () => number,
  _metrics: Metrics,
): Promise<RobotLink> {
  throw new Error('being written');
}
