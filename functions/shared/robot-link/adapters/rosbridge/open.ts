import { readFileSync } from 'node:fs';
import { type Config, ConfigError } from '../../../config.ts';
import { faultOf } from '../../../kit/files/watched-file.ts';
import type { RobotLink } from '../../port.ts';
import { type Mapping, MappingFault, parseMapping } from './mapping.ts';
import { openRosbridgeRobot, type Surroundings } from './rosbridge-robot.ts';

/**
 * Opens the link to the rosbridge server at SERVICE_ROBOT_URL, with the mapping of SERVICE_ROBOT_MAPPING_PATH.
 * @throws ConfigError naming file, line and key of what is wrong in the mapping.
 */
export function openRosbridge(config: Config, surroundings: Omit<Surroundings, 'mapping'>): Promise<RobotLink> {
  requireUrl(surroundings.url);
  return openRosbridgeRobot({ ...surroundings, mapping: readMapping(config.SERVICE_ROBOT_MAPPING_PATH) });
}

function requireUrl(url: string): void {
  if (URL.canParse(url) && new URL(url).hash === '') return;
  throw new ConfigError('SERVICE_ROBOT_URL: it should look like "ws://robot.local:9090"');
}

/** Reads a mapping file. @throws ConfigError naming file, line and key of what is wrong in it. */
export function readMapping(path: string): Mapping {
  try {
    return parseMapping(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof MappingFault ? error.message : faultOf(error).message;
    const where = `SERVICE_ROBOT_MAPPING_PATH: ${path}`;
    throw new ConfigError(`${where}: ${reason}. examples/rosbridge holds mappings to begin with.`, { cause: error });
  }
}
