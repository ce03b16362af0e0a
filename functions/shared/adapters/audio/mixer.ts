import type { Volume } from './port.ts';

/** Runs one program of a sound system and gives its standard output. @throws MixerAbsent when it has nothing to say. */
export type RunMixer = (program: string, ...args: string[]) => Promise<string>;

/** One way to a volume: a command-line program of a sound system. */
export interface Mixer {
  readonly program: string;
  read(run: RunMixer): Promise<Volume>;
  set(run: RunMixer, percent: number): Promise<void>;
}

/** This sound system is not here, not running, or has no device; another one may. */
export class MixerAbsent extends Error {
  override readonly name = 'MixerAbsent';
}
