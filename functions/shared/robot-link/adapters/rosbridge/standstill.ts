import { performance } from 'node:perf_hooks';
import type { JsonValue } from '../../../kit/json.ts';
import type { StillEntry } from './mapping.schema.ts';
import { reach } from './template.ts';
import type { Topics } from './topics.ts';

/**
 * Settles when the robot says that it stands still in every message of a window of time, two messages at least, that
 * come from now on. Ends with the signal's reason when that aborts. `unfit` gets what a message lacks.
 */
export function standsStill(
  topics: Topics,
  { name, zero, tolerance, window_ms }: StillEntry,
  signal: AbortSignal,
  unfit: (problem: string) => void = () => undefined,
): Promise<void> {
  const isStill = (message: JsonValue) =>
    zero.every((path) => {
      const speed = reach(message, path.split('.'));
      if (typeof speed !== 'number') unfit(`${name} has no number ${path}`);
      return typeof speed === 'number' && Math.abs(speed) <= tolerance;
    });
  return new Promise((resolve, reject) => {
    let since: number | undefined;
    const leave = topics.listen(name, (message) => {
      const now = performance.now();
      since = isStill(message) ? (since ?? now) : undefined;
      if (since === undefined || now - since < window_ms) return;
      leave();
      resolve();
    });
    const quit = () => {
      leave();
      reject(signal.reason);
    };
    signal.addEventListener('abort', quit, { once: true });
    if (signal.aborted) quit();
  });
}
