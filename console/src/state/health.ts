import { signal } from '@preact/signals';
import { base } from './base.ts';

const EVERY_MS = 5000;

export interface Part {
  readonly name: string;
  readonly ok: boolean;
  /** What a person can do about it. */
  readonly reason: string | undefined;
  readonly notes: readonly string[];
}

/** The parts of the service; undefined before the first report. */
export const health = signal<readonly Part[] | undefined>();

/** Asks while somebody looks. @returns a function that ends this. */
export function watchHealth(): () => void {
  void ask();
  const timer = setInterval(() => void ask(), EVERY_MS);
  return () => clearInterval(timer);
}

async function ask(): Promise<void> {
  try {
    const response = await fetch(new URL('health/ready', base), {
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.timeout(EVERY_MS),
    });
    const { parts }: { parts?: Record<string, { ok: boolean; reason?: string; notes?: string[] }> } =
      await response.json();
    if (!parts) return;
    health.value = Object.entries(parts).map(([name, { ok, reason, notes = [] }]) => ({ name, ok, reason, notes }));
  } catch {
    // What was last known stays, greyed as everything else.
  }
}
