import type { Volume } from '../port.ts';

/** Runs a program of a sound system and returns its standard output. @throws MixerAbsent if it fails. */
export type RunMixer = (program: string, ...args: string[]) => Promise<string>;

/** Controls the volume through a command-line program of a sound system. */
export interface Mixer {
  readonly program: string;
  read(run: RunMixer): Promise<Volume>;
  set(run: RunMixer, percent: number): Promise<void>;
  mute(run: RunMixer, muted: boolean): Promise<void>;
}

/** This sound system is not installed, not running, or has no device. */
export class MixerAbsent extends Error {
  override readonly name = 'MixerAbsent';
}
