import { StringDecoder } from 'node:string_decoder';
import type { RunLogEntry } from './run.schema.ts';

/** Newest output kept of a run, in bytes, with {@link ENTRY_BYTES} for each line. */
const MAX_BYTES = 1024 * 1024;
/** Longest line, in bytes. */
const MAX_LINE_BYTES = 8 * 1024;
/** What a line costs beside its text. */
const ENTRY_BYTES = 64;

type Stream = RunLogEntry['stream'];

/** A line that is not finished, and whether its end has been dropped. */
interface OpenLine {
  readonly decoder: StringDecoder;
  text: string;
  cut: boolean;
}

/** The newest output of a run, line by line. Older lines make room for newer ones; long lines are cut. */
export class RunLog {
  readonly #clock: () => number;
  readonly #open: Record<Stream, OpenLine> = { stdout: openLine(), stderr: openLine() };
  readonly #listeners = new Set<() => void>();
  #entries: RunLogEntry[] = [];
  /** Dropped entries that are still in the array: removing them one by one would move all others each time. */
  #skipped = 0;
  /** Entries dropped so far. */
  #dropped = 0;
  #bytes = 0;
  #truncated = false;
  #ended = false;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Whether lines or ends of lines have been dropped. */
  get truncated(): boolean {
    return this.#truncated;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Number of the entry that will come next, counted from the first one ever. */
  get next(): number {
    return this.#dropped + this.#entries.length - this.#skipped;
  }

  entries(): RunLogEntry[] {
    return this.#entries.slice(this.#skipped);
  }

  /** The entry with this number, or the oldest one kept after it; with the number that follows it. */
  at(number: number): { readonly entry: RunLogEntry; readonly next: number } | undefined {
    const kept = Math.max(number, this.#dropped);
    const entry = this.#entries[kept - this.#dropped + this.#skipped];
    return entry && { entry, next: kept + 1 };
  }

  write(stream: Stream, chunk: Buffer): void {
    const open = this.#open[stream];
    const timestamp = new Date(this.#clock()).toISOString();
    const [first = '', ...others] = open.decoder.write(chunk).split('\n');
    this.#extend(open, first);
    for (const text of others) {
      this.#add({ timestamp, stream, message: open.text });
      open.text = '';
      open.cut = false;
      this.#extend(open, text);
    }
    this.#wake();
  }

  /** No output follows: lines without an end are added as they are. */
  end(): void {
    if (this.#ended) return;
    const timestamp = new Date(this.#clock()).toISOString();
    for (const stream of ['stdout', 'stderr'] as const) {
      const { text } = this.#open[stream];
      if (text !== '') this.#add({ timestamp, stream, message: text });
    }
    this.#ended = true;
    this.#wake();
  }

  /** Drops everything, to make room for the logs of newer runs. */
  clear(): void {
    if (this.#bytes === 0) return;
    this.#dropped = this.next;
    this.#entries = [];
    this.#skipped = 0;
    this.#bytes = 0;
    this.#truncated = true;
  }

  /** The last lines, each cut at so many characters, for people. */
  lastLines(count: number, characters: number): string[] {
    return this.#entries
      .slice(Math.max(this.#skipped, this.#entries.length - count))
      .map(({ message }) => message.slice(0, characters));
  }

  /** Resolves when there is something new, at the end, or when the signal aborts. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#listeners.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      if (signal.aborted) return resolve();
      signal.addEventListener('abort', done);
      this.#listeners.add(done);
    });
  }

  #wake(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #extend(open: OpenLine, text: string): void {
    if (text === '') return;
    if (open.cut) return;
    open.text += text;
    if (Buffer.byteLength(open.text) <= MAX_LINE_BYTES) return;
    const bytes = Buffer.from(open.text).subarray(0, MAX_LINE_BYTES);
    open.text = new StringDecoder('utf8').write(bytes); // drops a character that was cut in half
    open.cut = true;
    this.#truncated = true;
  }

  #add(entry: RunLogEntry): void {
    this.#entries.push(entry);
    this.#bytes += sizeOf(entry);
    while (this.#bytes > MAX_BYTES) {
      const oldest = this.#entries[this.#skipped];
      if (!oldest) break;
      this.#bytes -= sizeOf(oldest);
      this.#skipped += 1;
      this.#dropped += 1;
      this.#truncated = true;
    }
    if (this.#skipped > this.#entries.length / 2) {
      this.#entries = this.#entries.slice(this.#skipped);
      this.#skipped = 0;
    }
  }
}

function openLine(): OpenLine {
  return { decoder: new StringDecoder('utf8'), text: '', cut: false };
}

function sizeOf({ message }: RunLogEntry): number {
  return Buffer.byteLength(message) + ENTRY_BYTES;
}

/** The entries of a log from its beginning, and new ones until it ends or the signal aborts. */
export async function* followLog(log: RunLog, signal: AbortSignal): AsyncGenerator<RunLogEntry> {
  let number = 0;
  while (!signal.aborted) {
    const found = log.at(number);
    if (found) {
      number = found.next;
      yield found.entry;
    } else if (log.ended) return;
    else await log.changed(signal);
  }
}
