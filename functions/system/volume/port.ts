export interface Volume {
  /** Percent, of the loudest channel. May exceed 100 if set by other programs. */
  readonly percent: number;
  readonly muted: boolean;
  /** The sound system's name of the device or control. */
  readonly device: string;
}

/** What is to be changed; at least one of the two. */
export interface VolumeChange {
  /** Whole percent, 0 to 100. */
  readonly percent?: number;
  readonly muted?: boolean;
}

/**
 * The loudspeaker. Calls to `set` are serialized.
 * @throws ServiceError `component_unavailable` if no sound system responds; the next call tries again.
 */
export interface Audio {
  readonly kind: 'simulated' | 'system';
  read(signal: AbortSignal): Promise<Volume>;
  /** Changes it, without a loud moment in between, and returns what the sound system reports afterwards. */
  set(change: VolumeChange, signal: AbortSignal): Promise<Volume>;
}
