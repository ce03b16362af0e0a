import type { Audio, Volume } from './port.ts';

/** A volume in memory, for machines that are no robot. */
export function simulatedAudio(): Audio {
  let volume: Volume = { percent: 50, muted: false, device: 'simulated' };
  return {
    kind: 'simulated',
    read: async () => volume,
    set: async (percent) => {
      volume = { ...volume, percent };
      return volume;
    },
  };
}
