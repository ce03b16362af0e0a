import type { Config } from '../../../shared/config.ts';
import type { SimulatedHome } from '../../../shared/robot-link/simulated-home.ts';
import type { Audio } from '../port.ts';

/** Simulated in sim mode, the machine's sound system in robot mode. Each is only loaded if it is used. */
export async function openAudio(config: Config, openHome: () => Promise<SimulatedHome>): Promise<Audio> {
  if (config.SERVICE_MODE === 'sim') return (await import('./simulated.ts')).simulatedAudio((await openHome()).speaker);
  return (await import('./system.ts')).systemAudio(config);
}
