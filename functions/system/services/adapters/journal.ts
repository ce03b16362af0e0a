import { pipeline, Readable, Transform } from 'node:stream';
import type { System } from '../../../shared/allowed-units.ts';
import { ServiceError, unavailable } from '../../../shared/errors.ts';
import type { Running } from '../../../shared/kit/child-process/running.ts';
import { Semaphore } from '../../../shared/kit/semaphore.ts';
import type { LogPage } from '../port.ts';
import { explain } from './explain.ts';
import { parseEntry, parseObject } from './journal-entry.ts';
import { type Line, LineSplitter } from './lines.ts';
import type { Command, Machine } from './machine.ts';

/** In ms: to find the start of the page, to send it, and to follow, which is limited by the lifetime of a token. */
const TIME_LIMITS = { locate: 30_000, page: 120_000, follow: 1_800_000 };

/** Clients that may follow services of one computer at the same time. */
const MAX_FOLLOWERS = 4;

/** Without `--all`, messages over 4096 bytes are null. */
const FULL_ENTRIES = ['--quiet', '--all', '--output-fields=MESSAGE,PRIORITY,_PID'] as const;

interface Window {
  /** Cursor of the oldest entry on the page. */
  readonly cursor: string;
  readonly count: number;
  readonly truncated: boolean;
}

/**
 * The journal of one computer. journalctl finds the newest entries only by reading backwards from the end, but they are
 * returned oldest first. So a first run locates the start of the page, and a second one prints from there. Neither
 * keeps more than two entries in memory.
 */
export class JournalReader {
  readonly #machine: Machine;
  readonly #followers = new Semaphore(MAX_FOLLOWERS);

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  async page(unit: string, lines: number, signal: AbortSignal): Promise<LogPage> {
    const window = await this.#locate(unit, lines, signal);
    if (!window) return { entries: Readable.from([]), truncated: false, empty: true };
    const { cursor, count, truncated } = window;
    const command = this.#command(unit, [...FULL_ENTRIES, `--cursor=${cursor}`, `--lines=${count}`]);
    const running = await this.#machine.start(command, { signal, timeLimit: TIME_LIMITS.page });
    return { entries: entriesOf(running, this.#machine.system), truncated, empty: false };
  }

  /** Whether the journal has any entry of the unit, however old. */
  async hasEntries(unit: string, signal: AbortSignal): Promise<boolean> {
    const { count } = await this.#count(this.#command(unit, ['--lines=1', '--output-fields=PRIORITY']), signal);
    return count > 0;
  }

  async follow(unit: string, signal: AbortSignal): Promise<Readable> {
    const release = this.#followers.tryAcquire();
    if (!release) {
      throw new ServiceError('busy', {
        detail: `At most ${MAX_FOLLOWERS} clients can follow services of ${this.#machine.system} at the same time.`,
      });
    }
    try {
      const command = this.#command(unit, [...FULL_ENTRIES, '--follow', '--lines=0']);
      const running = await this.#machine.start(command, { signal, timeLimit: TIME_LIMITS.follow });
      running.exit.then(release, release);
      return entriesOf(running, this.#machine.system);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Undefined if the unit has no entries in the last hour. */
  async #locate(unit: string, lines: number, signal: AbortSignal): Promise<Window | undefined> {
    const wanted = ['--output-fields=PRIORITY', '--reverse', `--lines=${lines + 1}`];
    const { oldest, second, count } = await this.#count(this.#command(unit, ['--since=-1h', ...wanted]), signal);
    if (count === 0) {
      await this.#assertReadable(signal);
      return undefined;
    }
    const truncated = count > lines;
    const cursor = parseObject((truncated ? second : oldest) ?? '')?.__CURSOR;
    if (typeof cursor !== 'string') throw new Error('journalctl printed an entry without a cursor');
    return { cursor, count: Math.min(count, lines), truncated };
  }

  /** A journal without any entries is not being kept or not readable, which must not be reported as an empty log. */
  async #assertReadable(signal: AbortSignal): Promise<void> {
    const { count } = await this.#count(
      ['journalctl', ...this.#baseOptions(), '--lines=1', '--output-fields=PRIORITY'],
      signal,
    );
    if (count > 0) return;
    throw unavailable(
      `journal of ${this.#machine.system}`,
      'Start systemd-journald, and add the user of this service to the group systemd-journal so that it may read the journal.',
    );
  }

  async #count(command: Command, signal: AbortSignal) {
    const running = await this.#machine.start(command, { signal, timeLimit: TIME_LIMITS.locate });
    const splitter = pipeline(running.stdout, new LineSplitter(), () => {});
    let count = 0;
    let oldest: string | undefined;
    let second: string | undefined;
    try {
      for await (const { text } of splitter as AsyncIterable<Line>) {
        if (!text.startsWith('{')) continue;
        count += 1;
        second = oldest;
        oldest = text;
      }
    } catch (error) {
      await running.exit; // rejects with the reason why the output ended early
      throw error;
    }
    const { code, stderr } = await running.exit;
    if (code !== 0) {
      const message = stderr.split('\n')[0] || `exit code ${code}`;
      throw unavailable(
        `journal of ${this.#machine.system}`,
        `Mend what keeps it from being read. journalctl: ${message}`,
      );
    }
    return { count, oldest, second };
  }

  #command(unit: string, options: readonly string[]): Command {
    return ['journalctl', ...this.#baseOptions(), `--unit=${unit}`, ...options];
  }

  #baseOptions(): string[] {
    const { journalDir } = this.#machine;
    return [...(journalDir === undefined ? [] : [`--directory=${journalDir}`]), '--output=json', '--no-pager'];
  }
}

function entriesOf(running: Running, system: System): Readable {
  const parser = new Transform({
    objectMode: true,
    transform(line: Line, _encoding, done) {
      done(null, parseEntry(line));
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
