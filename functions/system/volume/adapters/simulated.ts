import type { SimulatedHome } from '../../../shared/robot-link/simulated-home.ts';
import type { Audio } from '../port.ts';

/** The loudspeaker of the simulated robot. */
export function simulatedAudio(speaker: SimulatedHome['speaker']): Audio {
  const volume = () => ({ percent: speaker.percent, muted: speaker.muted, device: 'simulated' });
  return {
    kind: 'simulated',
    read: async () => volume(),
    set: async ({ percent = speaker.percent, muted = speaker.muted }) => {
      Object.assign(speaker, { percent, muted });
      return volume();
    },
  };
}
