import type { Config } from './config.ts';

export const SIMULATED_PARTS = ['robot', 'audio', 'services', 'wifi'] as const;
type SimulatedPart = (typeof SIMULATED_PARTS)[number];

/** The parts of the world that are simulated here: /status and the log at start name them. */
export function simulatedParts({ SERVICE_MODE, SERVICE_ROBOT_URL }: Config): SimulatedPart[] {
  return SIMULATED_PARTS.filter((part) =>
    part === 'robot' ? SERVICE_ROBOT_URL?.toLowerCase().startsWith('sim:') : SERVICE_MODE === 'sim',
  );
}
