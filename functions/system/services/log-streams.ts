import { pipeline, type Readable, Transform } from 'node:stream';
import type { LogEntry } from './port.ts';

/** Entries are sent in chunks of at least this size: a write per entry would cost more than the entry. */
const CHUNK_CHARS = 16 * 1024;

export interface LogsHead {
  readonly system: string;
  readonly service: string;
  readonly since: string;
  readonly truncated: boolean;
  /** Of the last entry; if there is none, the one that was asked for. */
  readonly cursor: string | null;
}

/** The JSON response, rendered entry by entry, so that an hour of logs is never held in memory. */
export function jsonLogs(head: LogsHead, entries: Readable): Readable {
  const opening = `${JSON.stringify(head).slice(0, -1)},"entries":[`;
  let separator = '';
  const render = (entry: LogEntry) => {
    const text = `${separator}${JSON.stringify(entry)}`;
    separator = ',';
    return text;
  };
  return renderEntries(entries, opening, render, ']}');
}

/** One line per entry. Further lines of a message are indented, so that no message can imitate another entry. */
export function textLogs(entries: Readable): Readable {
  const render = ({ timestamp, pid, message }: LogEntry) =>
    `${timestamp} ${pid === null ? '' : `[${pid}] `}${message.replaceAll('\n', '\n    ')}\n`;
  return renderEntries(entries, '', render, '');
}

function renderEntries(
  entries: Readable,
  opening: string,
  render: (entry: LogEntry) => string,
  closing: string,
): Readable {
  let chunk = opening;
  const renderer = new Transform({
    writableObjectMode: true,
    transform(entry: LogEntry, _encoding, done) {
      chunk += render(entry);
      if (chunk.length < CHUNK_CHARS) return done();
      done(null, chunk);
      chunk = '';
    },
    flush(done) {
      done(null, chunk + closing);
    },
  });
  return pipeline(entries, renderer, () => {});
}
