import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '../../functions/shared/config.ts';

/** Names the robot of a configuration, and how it is stopped, without a secret: two processes compare it. */
export function guardedRobot({ SERVICE_ROBOT_URL, SERVICE_ROBOT_ID, SERVICE_ROBOT_MAPPING_PATH }: Config): string {
  const robot = JSON.stringify([SERVICE_ROBOT_URL, SERVICE_ROBOT_ID, textOf(SERVICE_ROBOT_MAPPING_PATH)]);
  return createHash('sha256').update(robot).digest('hex');
}

/** What is wrong with the file, the link says. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
