import type { LogEntry } from '../port.ts';
import type { Line } from './lines.ts';
import { messageText } from './message.ts';

type Fields = Record<string, unknown>;

/**
 * Parses an entry printed by `journalctl -o json`. Undefined for any other line. If the line was too long to be kept
 * whole, the message is truncated.
 */
export function parseEntry(line: Line): LogEntry | undefined {
  const fields = line.tail === undefined ? parseObject(line.text) : salvage(line.text, line.tail);
  const microseconds = Number(fields?.__REALTIME_TIMESTAMP);
  if (!fields || !Number.isSafeInteger(microseconds)) return undefined;
  return {
    timestamp: rfc3339(microseconds),
    priority: wholeNumber(fields.PRIORITY, 7),
    pid: wholeNumber(fields._PID, 2 ** 31),
    message: messageText(fields.MESSAGE),
  };
}

/** The cursor of an entry printed by `journalctl -o json`. @throws Error when it has none. */
export function cursorOf({ text, tail }: Line): string {
  const cursor = tail === undefined ? parseObject(text)?.__CURSOR : salvagedCursor(text, tail);
  if (typeof cursor === 'string') return cursor;
  throw new Error('journalctl printed an entry without a cursor');
}

function salvagedCursor(head: string, tail: string): string | undefined {
  const [first] = [head, tail].flatMap((part) => /"__CURSOR"\s*:\s*"([^"\\]*)"/.exec(part) ?? []).slice(1);
  return first;
}

/** Microseconds since the epoch as RFC 3339 in UTC. */
export function rfc3339(microseconds: number): string {
  const iso = new Date(Math.floor(microseconds / 1000)).toISOString();
  return `${iso.slice(0, -1)}${String(microseconds % 1000).padStart(3, '0')}Z`;
}

export function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined; // as: just checked
  } catch {
    return undefined;
  }
}

/** A repeated field is an array; its first value counts. */
function wholeNumber(value: unknown, max: number): number | null {
  const text = Array.isArray(value) ? value[0] : value;
  if (typeof text !== 'string' || !/^\d{1,10}$/.test(text)) return null;
  const number = Number(text);
  return number <= max ? number : null;
}

/**
 * Extracts the fields of a truncated entry. Only the message is long, so the other fields are before it or in the tail.
 * Quotes inside a JSON string are escaped, so a message cannot imitate another field.
 */
function salvage(head: string, tail: string): Fields {
  const fields: Fields = {};
  for (const part of [head, tail])
    for (const [, name, value] of part.matchAll(/"(__REALTIME_TIMESTAMP|PRIORITY|_PID)"\s*:\s*"(\d+)"/g))
      if (name !== undefined) fields[name] = value;
  const message = /"MESSAGE"\s*:\s*(["[])/.exec(head);
  if (message) fields.MESSAGE = truncatedMessage(message[1], head.slice(message.index + message[0].length));
  return fields;
}

function truncatedMessage(opening: string | undefined, rest: string): unknown {
  if (opening === '[') return rest.split(',').slice(0, -1).map(Number);
  const whole = rest.replace(/\\(?:u[0-9a-f]{0,3})?$/i, '');
  return parseObject(`{"text":"${whole}"}`)?.text ?? parseObject(`{"text":"${whole}\\"}`)?.text;
}
