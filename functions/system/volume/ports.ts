import { type Port, port } from '../../shared/port.ts';
import { simulatedHome } from '../../shared/robot-link/simulated-home.ts';
import type { Audio } from './port.ts';

/** The loudspeaker. */
export const audio: Port<Audio> = /* @__PURE__ */ port('audio', async (ports) => {
  const { openAudio } = await import('./adapters/open.ts');
  return openAudio(ports.config, () => ports.get(simulatedHome));
});
