import type * as z from 'zod';
import type { Audio, Volume } from './port.ts';
import type { Volume as VolumeSchema } from './volume.schema.ts';

type VolumeAnswer = z.output<typeof VolumeSchema>;

/** Reads the current volume (specification, section 4.8). @throws ServiceError `component_unavailable`. */
export async function readVolume(audio: Audio, signal: AbortSignal): Promise<VolumeAnswer> {
  return volumeAnswer(await audio.read(signal));
}

/**
 * Sets the volume in percent, rounded because sound systems only support whole percentages, and returns what the sound
 * system reports afterwards (specification, section 4.8).
 * @throws ServiceError `component_unavailable`.
 */
export async function setVolume(audio: Audio, value: number, signal: AbortSignal): Promise<VolumeAnswer> {
  return volumeAnswer(await audio.set(Math.round(value), signal));
}

function volumeAnswer({ percent, muted, device }: Volume): VolumeAnswer {
  return { percentage: { value: percent }, muted, device };
}
