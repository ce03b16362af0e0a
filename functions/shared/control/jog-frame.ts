import { ServiceError } from '../errors.ts';
import { jsonPointer } from '../kit/json.ts';
import { messagesFor } from '../pipeline/issue-messages.ts';
import { JogFrame } from './jog.schema.ts';

/** A parsed frame, or what is wrong with it. */
export interface ReadJogFrame {
  /** Read even from an invalid frame, if possible. */
  readonly seq: number | null;
  readonly lease: string | undefined;
  readonly frame: JogFrame | undefined;
  /** `validation_failed`, if the frame is invalid. */
  readonly fault: ServiceError | undefined;
}

/** Parses a frame. Never throws. */
export function readJogFrame(input: unknown): ReadJogFrame {
  const { success, data: frame, error } = JogFrame.safeParse(input, messagesFor('body'));
  if (success) return { seq: frame.seq, lease: frame.lease, frame, fault: undefined };
  const { seq, lease } = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>; // as: any members
  const faults = error.issues.map(({ path, message }) => ({ pointer: jsonPointer(path), message }));
  return {
    seq: Number.isSafeInteger(seq) && (seq as number) >= 0 ? (seq as number) : null, // as: checked before
    lease: typeof lease === 'string' ? lease : undefined,
    frame: undefined,
    fault: new ServiceError('validation_failed', {
      detail: `Invalid jog frame, treated as zero velocity: ${faults[0]?.message} (${faults[0]?.pointer || 'the frame'}).`,
      errors: faults.slice(0, 20),
    }),
  };
}
