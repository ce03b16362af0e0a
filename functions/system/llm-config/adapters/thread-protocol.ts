import type { Failure } from '../../../shared/thread-failure.ts';
import type { KeyChange } from '../port.ts';

/** What a thread is started for. A buffer arrives as a plain array of bytes, in both directions. */
export interface ThreadJob {
  readonly bytes: Uint8Array;
  /** Absent: the file is only read. */
  readonly change?: KeyChange;
}

export type ThreadResult = { readonly bytes: Uint8Array; readonly answer: string } | { readonly failure: Failure };
