import { pipeline, Readable, Transform } from 'node:stream';
import type { System } from '../../../shared/allowed-units.ts';
import { ServiceError, unavailable } from '../../../shared/errors.ts';
import type { Running } from '../../../shared/kit/child-process/running.ts';
import { Semaphore } from '../../../shared/kit/semaphore.ts';
import { passes } from '../log-filter.ts';
import type { LogEntry, LogFilter, LogPage, LogSelection } from '../port.ts';
import { explain } from './explain.ts';
import { cursorOf, parseEntry } from './journal-entry.ts';
import { type Line, LineSplitter } from './lines.ts';
import type { Command, Machine } from './machine.ts';

/** In ms: to find the start of the page, to send it, and to follow, which is limited by the lifetime of a token. */
const TIME_LIMITS = { locate: 30_000, page: 120_000, follow: 1_800_000 };

/** Clients that may follow services of one computer at the same time. */
const MAX_FOLLOWERS = 4;

/** Without `--all`, messages over 4096 bytes are null. */
const FULL_ENTRIES = ['--quiet', '--all', '--output-fields=MESSAGE,PRIORITY,_PID'] as const;

/** What a first run has found out. */
interface Window {
  /** Cursor of the oldest entry on the page. */
  readonly first: string;
  /** Cursor of the newest entry on the page. */
  readonly last: string;
  readonly count: number;
  readonly truncated: boolean;
}

/**
 * The journal of one computer. journalctl finds the newest entries only by reading backwards from the end, but they are
 * returned oldest first. So a first run locates the start of the page, and a second one prints from there. Neither
 * keeps more than three entries in memory. Text is looked for here, in the message as it is shown: `journalctl --grep` is
 * not built in everywhere, and counts lines differently in each release.
 */
export class JournalReader {
  readonly #machine: Machine;
  readonly #followers = new Semaphore(MAX_FOLLOWERS);

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  async page(unit: string, selection: LogSelection, signal: AbortSignal): Promise<LogPage> {
    const window = await this.#locate(unit, selection, signal);
    if (!window) {
      await this.#assertReadable(signal);
      return { entries: Readable.from([]), truncated: false, empty: true, cursor: undefined };
    }
    const { first, last, count, truncated } = window;
    const { after, filter } = selection;
    const exact = after === undefined && filter?.text === undefined;
    const options = [`--cursor=${first}`, ...filterOptions(selection), ...(exact ? [`--lines=${count}`] : [])];
    const command = this.#command(unit, [...FULL_ENTRIES, ...options]);
    const running = await this.#machine.start(command, { signal, timeLimit: TIME_LIMITS.page });
    const found = entriesOf(running, this.#machine.system, filter);
    return { entries: exact ? found : Readable.from(firstOf(found, count)), truncated, empty: false, cursor: last };
  }

  /** Whether the journal has any entry of the unit, however old. */
  async hasEntries(unit: string, signal: AbortSignal): Promise<boolean> {
    return this.#any(this.#command(unit, ['--lines=1', '--output-fields=PRIORITY']), signal);
  }

  async follow(unit: string, filter: LogFilter, signal: AbortSignal): Promise<Readable> {
    const release = this.#followers.tryAcquire();
    if (!release) {
      throw new ServiceError('busy', {
        detail: `At most ${MAX_FOLLOWERS} clients can follow services of ${this.#machine.system} at the same time.`,
      });
    }
    try {
      const command = this.#command(unit, [...FULL_ENTRIES, '--follow', '--lines=0', ...filterOptions({ filter })]);
      const running = await this.#machine.start(command, { signal, timeLimit: TIME_LIMITS.follow });
      running.exit.then(release, release);
      return entriesOf(running, this.#machine.system, filter);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Undefined if no entry is selected. */
  async #locate(unit: string, selection: LogSelection, signal: AbortSignal): Promise<Window | undefined> {
    const { lines, after, filter } = selection;
    const text = filter?.text;
    const fields = text === undefined ? ['--output-fields=PRIORITY'] : FULL_ENTRIES;
    const bound = text === undefined && after === undefined ? [`--lines=${lines + 1}`] : [];
    const command = this.#command(unit, [...fields, ...startOptions(selection), ...filterOptions(selection), ...bound]);
    let [count, first, previous, last] = [0, '', '', ''];
    for await (const line of this.#lines(command, signal)) {
      if (after !== undefined && cursorOf(line) === after) continue; // --after-cursor skips another where this one is gone
      if (text !== undefined && !passes(parseEntry(line) ?? NOTHING, { text })) continue;
      count += 1;
      previous = last;
      last = cursorOf(line);
      if (count === 1) first = last;
      if (count > lines) break;
    }
    if (count === 0) return undefined;
    const truncated = count > lines;
    const [nearest, farthest] = [first, truncated ? previous : last];
    const ends = after === undefined ? { first: farthest, last: nearest } : { first: nearest, last: farthest };
    return { ...ends, count: Math.min(count, lines), truncated };
  }

  /** A journal without any entries is not being kept or not readable, which must not be reported as an empty log. */
  async #assertReadable(signal: AbortSignal): Promise<void> {
    const command: Command = ['journalctl', ...this.#baseOptions(), '--lines=1', '--output-fields=PRIORITY'];
    if (await this.#any(command, signal)) return;
    throw unavailable(
      `journal of ${this.#machine.system}`,
      'Start systemd-journald, and add the user of this service to the group systemd-journal so that it may read the journal.',
    );
  }

  async #any(command: Command, signal: AbortSignal): Promise<boolean> {
    for await (const _line of this.#lines(command, signal)) return true;
    return false;
  }

  /** The entries that a command prints. One that is left early is ended. Error: component_unavailable. */
  async *#lines(command: Command, signal: AbortSignal): AsyncGenerator<Line> {
    const running = await this.#machine.start(command, { signal, timeLimit: TIME_LIMITS.locate });
    const splitter = pipeline(running.stdout, new LineSplitter(), () => {});
    try {
      for await (const line of splitter as AsyncIterable<Line>) if (line.text.startsWith('{')) yield line;
    } catch (error) {
      await running.exit; // rejects with the reason why the output ended early
      throw error;
    }
    const { code, stderr } = await running.exit;
    if (code === 0) return;
    const message = stderr.split('\n')[0] || `exit code ${code}`;
    throw unavailable(
      `journal of ${this.#machine.system}`,
      `Mend what keeps it from being read. journalctl: ${message}`,
    );
  }

  #command(unit: string, options: readonly string[]): Command {
    return ['journalctl', ...this.#baseOptions(), `--unit=${unit}`, ...options];
  }

  #baseOptions(): string[] {
    const { journalDir } = this.#machine;
    return [...(journalDir === undefined ? [] : [`--directory=${journalDir}`]), '--output=json', '--no-pager'];
  }
}

/** Journalctl reads `@` and seconds since the epoch as a time, whatever its time zone. */
const atTime = (microseconds: number) =>
  `@${Math.floor(microseconds / 1_000_000)}.${String(microseconds % 1_000_000).padStart(6, '0')}`;

/** From the newest backwards; after a cursor, from there onwards. */
function startOptions({ since, after }: LogSelection): string[] {
  if (after !== undefined) return [`--cursor=${after}`];
  return [since === undefined ? '--since=-1h' : `--since=${atTime(since)}`, '--reverse'];
}

function filterOptions({ until, filter }: Pick<LogSelection, 'until' | 'filter'>): string[] {
  return [
    ...(until === undefined ? [] : [`--until=${atTime(until)}`]),
    ...(filter?.priority === undefined ? [] : [`--priority=${filter.priority}`]),
  ];
}

/** As many entries, after which the command that prints them is ended. */
async function* firstOf(entries: Readable, count: number): AsyncGenerator<LogEntry> {
  let left = count;
  for await (const entry of entries) {
    yield entry;
    left -= 1;
    if (left === 0) return;
  }
}

/** In place of a line that cannot be read. */
const NOTHING: LogEntry = { timestamp: '', priority: null, pid: null, message: '' };

function entriesOf(running: Running, system: System, filter: LogFilter = {}): Readable {
  const parser = new Transform({
    objectMode: true,
    transform(line: Line, _encoding, done) {
      const entry = parseEntry(line);
      done(null, entry && passes(entry, { text: filter.text }) ? entry : undefined); // journalctl has looked at the priority
    },
    flush(done) {
      running.exit.then(({ code }) => done(code === 0 ? null : new Error(`journalctl ended with code ${code}`)), done);
    },
    destroy(error, done) {
      done(error && (explain(system, error) as Error)); // as: an error stays one
    },
  });
  return pipeline(running.stdout, new LineSplitter(), parser, () => {});
}
