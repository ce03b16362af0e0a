import { pipeline, type Readable, Transform } from 'node:stream';
import type { LogEntry } from '../../shared/adapters/service-manager/port.ts';

/** Entries are sent in pieces of at least so many characters: a write for each would cost more than the entry. */
const PIECE = 16 * 1024;

export interface LogsHead {
  readonly system: string;
  readonly service: string;
  readonly since: string;
  readonly truncated: boolean;
}

/** The JSON answer, entry by entry, so that an hour of logs is never held in memory. */
export function jsonLogs(head: LogsHead, entries: Readable): Readable {
  const opening = `${JSON.stringify(head).slice(0, -1)},"entries":[`;
  let separator = '';
  const render = (entry: LogEntry) => {
    const text = `${separator}${JSON.stringify(entry)}`;
    separator = ',';
    return text;
  };
  return rendered(entries, opening, render, ']}');
}

/** One line an entry. Further lines of a message are set in, so that no message can pass for another entry. */
export function textLogs(entries: Readable): Readable {
  const render = ({ timestamp, pid, message }: LogEntry) =>
    `${timestamp} ${pid === null ? '' : `[${pid}] `}${message.replaceAll('\n', '\n    ')}\n`;
  return rendered(entries, '', render, '');
}

function rendered(entries: Readable, opening: string, render: (entry: LogEntry) => string, closing: string): Readable {
  let piece = opening;
  const renderer = new Transform({
    writableObjectMode: true,
    transform(entry: LogEntry, _encoding, done) {
      piece += render(entry);
      if (piece.length < PIECE) return done();
      done(null, piece);
      piece = '';
    },
    flush(done) {
      done(null, piece + closing);
    },
  });
  return pipeline(entries, renderer, () => {});
}
