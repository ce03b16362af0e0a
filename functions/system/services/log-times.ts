/** Microseconds since the epoch of a time in RFC 3339; further digits are cut off. */
export function microsecondsOf(time: string): number {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? '';
  const whole = Date.parse(time.replace(/\.\d+/, ''));
  return whole * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
}

/** When the entry of a journal cursor was written, in microseconds since the epoch; the latest date for an absurd one. */
export function entryTimeOf(cursor: string): number {
  const microseconds = Number.parseInt(/;t=([0-9a-f]+)/.exec(cursor)?.[1] ?? '0', 16);
  return Math.min(microseconds, MAX_DATE_MS * 1000);
}

/** The latest moment of ECMAScript that RFC 3339 can write. */
const MAX_DATE_MS = Date.UTC(9999, 11, 31);
