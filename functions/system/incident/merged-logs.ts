import type { System } from '../../shared/allowed-units.ts';
import { maskText } from '../../shared/observability/mask-text.ts';
import type { IncidentSources, LogEntry, LogWindow } from './port.ts';

/** A unit whose log is wanted. */
export interface LogOf {
  readonly system: System;
  readonly unit: string;
}

/** Takes note of what could not be read, or not whole. */
export type NoteProblem = (part: string, problem: string) => void;

interface Reading extends LogOf {
  readonly entries: AsyncIterator<LogEntry>;
  next: LogEntry;
}

/**
 * The entries of these units, merged by time, a line each, with the secrets in them masked. In flat memory: one entry
 * of each unit is held. A unit that cannot be read, or breaks off, is noted, and the others go on.
 */
export async function* mergedLines(
  sources: IncidentSources,
  logs: readonly LogOf[],
  window: LogWindow,
  note: NoteProblem,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const readings = new Set<Reading>();
  const begun: Array<{ destroy(): void }> = [];
  const advance = async (reading: Reading) => {
    const next = await reading.entries.next().catch((error: unknown) => {
      note(`logs of ${reading.system}/${reading.unit}`, `They broke off: ${messageOf(error)}`);
      return undefined;
    });
    if (!next || next.done) readings.delete(reading);
    else reading.next = next.value;
  };
  const begin = async (log: LogOf) => {
    const part = `logs of ${log.system}/${log.unit}`;
    try {
      const { entries, truncated } = await sources.logs(log.system, log.unit, window, signal);
      begun.push(entries);
      if (truncated) note(part, 'There are more than 10 000 entries; the newest are here.');
      const iterator = entries[Symbol.asyncIterator]() as AsyncIterator<LogEntry>; // as: what the port says it holds
      const first = await iterator.next();
      if (!first.done) readings.add({ ...log, entries: iterator, next: first.value });
    } catch (error) {
      note(part, messageOf(error));
    }
  };
  try {
    await Promise.all(logs.map(begin));
    while (readings.size > 0) {
      signal.throwIfAborted();
      const oldest = [...readings].reduce((one, other) => (other.next.timestamp < one.next.timestamp ? other : one));
      yield lineOf(oldest);
      await advance(oldest);
    }
  } finally {
    for (const entries of begun) entries.destroy();
  }
}

/** Further lines of a message are indented, so that no message can imitate another entry. */
function lineOf({ system, unit, next: { timestamp, priority, pid, message } }: Reading): string {
  const text = maskText(message).replaceAll('\n', '\n    ');
  return `${timestamp} ${system} ${unit} ${priority ?? '-'} [${pid ?? '-'}] ${text}\n`;
}

/** What may be said of a failure: it may hold a secret as well. */
export function messageOf(error: unknown): string {
  return maskText(error instanceof Error ? error.message : String(error)).slice(0, 500);
}
