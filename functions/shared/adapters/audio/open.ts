import type { Config } from '../../config.ts';
import type { Audio } from './port.ts';

/** Simulated in sim mode, the machine's own sound system in robot mode. Each is loaded only where it is used. */
export async function openAudio(config: Config): Promise<Audio> {
  if (config.SERVICE_MODE === 'sim') return (await import('./simulated.ts')).simulatedAudio();
  return (await import('./system.ts')).systemAudio(config);
}
