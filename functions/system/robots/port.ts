import type { RobotSummary } from '../../shared/robot-link/port.ts';

/** The robots that this service reaches. */
export interface KnownRobots {
  list(): Promise<readonly RobotSummary[]>;
}
