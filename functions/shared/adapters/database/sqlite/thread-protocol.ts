import type { Failure } from './failure.ts';
import type { Storage } from './storage.ts';

export interface ThreadData {
  readonly role: 'writer' | 'reader';
  readonly storage: Storage;
}

export interface Ask {
  readonly id: number;
  /** `close` ends the thread once what it does is done or given up. */
  readonly job: string;
  readonly args: readonly unknown[];
}

/** `id` 0 tells how the opening went. */
export type Told =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: Failure };
