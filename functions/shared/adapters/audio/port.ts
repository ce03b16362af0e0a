export interface Volume {
  /** Percent of the loudest channel. Other programs may have set more than 100. */
  readonly percent: number;
  readonly muted: boolean;
  /** The sound system's own name for what the volume belongs to. */
  readonly device: string;
}

/**
 * The loudspeaker. Error of both calls: `component_unavailable` when no sound system answers; it is looked for again at
 * the next call. Sets are carried out one after the other.
 */
export interface Audio {
  readonly kind: 'simulated' | 'system';
  read(signal: AbortSignal): Promise<Volume>;
  /** Sets a whole percentage, 0 to 100, and reads back what the sound system made of it. */
  set(percent: number, signal: AbortSignal): Promise<Volume>;
}
