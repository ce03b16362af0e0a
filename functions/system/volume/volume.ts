import type * as z from 'zod';
import type { Audio, Volume } from '../../shared/adapters/audio/port.ts';
import type { Volume as VolumeSchema } from './volume.schema.ts';

type VolumeAnswer = z.output<typeof VolumeSchema>;

/** The volume as it is now. Error: component_unavailable (specification, section 4.8). */
export async function readVolume(audio: Audio, signal: AbortSignal): Promise<VolumeAnswer> {
  return answerOf(await audio.read(signal));
}

/**
 * Sets the volume, in percent, and answers what the sound system made of it. Sound systems know whole percents: 36.6
 * sets 37. Error: component_unavailable (specification, section 4.8).
 */
export async function setVolume(audio: Audio, value: number, signal: AbortSignal): Promise<VolumeAnswer> {
  return answerOf(await audio.set(Math.round(value), signal));
}

function answerOf({ percent, muted, device }: Volume): VolumeAnswer {
  return { percentage: { value: percent }, muted, device };
}
