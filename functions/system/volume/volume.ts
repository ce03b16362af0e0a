import type * as z from 'zod';
import type { Audio, Volume } from './port.ts';
import type { SetVolume, Volume as VolumeSchema } from './volume.schema.ts';

type VolumeAnswer = z.output<typeof VolumeSchema>;

/** Reads the current volume (specification, section 4.8). @throws ServiceError `component_unavailable`. */
export async function readVolume(audio: Audio, signal: AbortSignal): Promise<VolumeAnswer> {
  return volumeAnswer(await audio.read(signal));
}

/**
 * Sets the volume in percent, rounded because sound systems only support whole percentages, mutes the device or ends
 * that, and returns what the sound system reports afterwards (specification, section 4.8).
 * @throws ServiceError `component_unavailable`.
 */
export async function setVolume(
  audio: Audio,
  { percentage, muted }: z.output<typeof SetVolume>,
  signal: AbortSignal,
): Promise<VolumeAnswer> {
  const change = {
    ...(percentage && { percent: Math.round(percentage.value) }),
    ...(muted !== undefined && { muted }),
  };
  return volumeAnswer(await audio.set(change, signal));
}

function volumeAnswer({ percent, muted, device }: Volume): VolumeAnswer {
  return { percentage: { value: percent }, muted, device };
}
