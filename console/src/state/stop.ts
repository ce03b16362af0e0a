import { signal } from '@preact/signals';
import { letGo } from './driving.ts';
import { yieldToStop } from './link.ts';
import { robot, sentenceOf, stopOnly } from './session.ts';

/** After so long without a confirmation the page says so, while the stop is still being sent. */
const HONEST_MS = 2000;
/** Afterwards it is the last stop, as one of anybody's. */
const CONFIRMED_MS = 15_000;

export type StopPhase =
  | { readonly kind: 'idle' }
  | { readonly kind: 'sending' }
  | { readonly kind: 'confirmed'; readonly at: Date; readonly by: 'service' | 'guard' }
  | {
      readonly kind: 'unconfirmed';
      readonly why: string | undefined;
      readonly attempts: number;
      /** False once it was refused for good. */
      readonly isSending: boolean;
    };

export const stopPhase = signal<StopPhase>({ kind: 'idle' });

let current: AbortController | undefined;

/** Stops the robot: sent to service and guard at once, and again until one of them confirms. Each press sends anew. */
export async function pressStop(): Promise<void> {
  const sender = robot.value ?? stopOnly.value;
  letGo();
  if (!sender) return;
  current?.abort();
  const own = new AbortController();
  current = own;
  const goOn = yieldToStop();
  stopPhase.value = { kind: 'sending' };
  let attempts = 0;
  const say = (phase: StopPhase) => {
    if (current === own) stopPhase.value = phase;
  };
  const timer = setTimeout(() => {
    goOn();
    say({ kind: 'unconfirmed', why: undefined, attempts, isSending: true });
  }, HONEST_MS);
  try {
    const { by } = await sender.stop({
      signal: own.signal,
      onNotConfirmed(error) {
        goOn();
        attempts += 1;
        say({ kind: 'unconfirmed', why: sentenceOf(error), attempts, isSending: true });
      },
    });
    say({ kind: 'confirmed', at: new Date(), by });
    setTimeout(() => say({ kind: 'idle' }), CONFIRMED_MS);
  } catch (error) {
    say({ kind: 'unconfirmed', why: sentenceOf(error), attempts, isSending: false });
  } finally {
    clearTimeout(timer);
    goOn();
  }
}

/** Nobody is signed in any more: what an earlier press led to is no longer said. */
export function forgetStop(): void {
  current?.abort();
  stopPhase.value = { kind: 'idle' };
}
