import type { LogEntry, LogFilter } from './port.ts';

/** Whether an entry is wanted. One without a priority is, unless a priority is asked for. */
export function passes({ priority, message }: LogEntry, { priority: highest, text }: LogFilter = {}): boolean {
  if (highest !== undefined && (priority === null || priority > highest)) return false;
  return text === undefined || message.includes(text);
}
