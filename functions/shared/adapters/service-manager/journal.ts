import { pipeline, Readable, Transform } from 'node:stream';
import { ServiceError, unavailable } from '../../errors.ts';
import type { Running } from '../child-process/running.ts';
import { explain } from './explain.ts';
import { parseEntry, parseObject } from './journal-entry.ts';
import { type Line, LineSplitter } from './lines.ts';
import type { Machine, Words } from './machine.ts';
import type { LogPage, System } from './port.ts';
import { Slots } from './slots.ts';

/** Longest time, in ms, to find the window; to send it to a client; to follow, which is as long as a token lives. */
const TIME_LIMITS = { locate: 30_000, page: 120_000, follow: 1_800_000 };

/** Most clients that follow services of one computer at a time. */
const MAX_FOLLOWERS = 4;

/** `--all`: a message longer than 4096 bytes comes as null without it. */
const WHOLE_ENTRIES = ['--quiet', '--all', '--output-fields=MESSAGE,PRIORITY,_PID'] as const;

interface Window {
  /** Where the oldest entry to give stands. */
  readonly cursor: string;
  readonly count: number;
  readonly truncated: boolean;
}

/**
 * The journal of one computer. journalctl finds the newest entries only from the end backwards, and they are wanted
 * oldest first: so the first run finds out where to begin, and the second one prints from there. Neither keeps more than
 * an entry or two in memory.
 */
export class JournalReader {
  readonly #machine: Machine;
  readonly #followers = new Slots(MAX_FOLLOWERS);

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  async page(unit: string, lines: number, signal: AbortSignal): Promise<LogPage> {
    const window = await this.#locate(unit, lines, signal);
    if (!window) return { entries: Readable.from([]), truncated: false };
    const { cursor, count, truncated } = window;
    const words = this.#words(unit, [...WHOLE_ENTRIES, `--cursor=${cursor}`, `--lines=${count}`]);
    const running = await this.#machine.start(words, { signal, timeLimit: TIME_LIMITS.page });
    return { entries: entriesOf(running, this.#machine.system), truncated };
  }

  async follow(unit: string, signal: AbortSignal): Promise<Readable> {
    const leave = this.#followers.take();
    if (!leave) {
      throw new ServiceError('busy', {
        detail: `${MAX_FOLLOWERS} clients follow services of ${this.#machine.system} already, the most there may be.`,
      });
    }
    try {
      const words = this.#words(unit, [...WHOLE_ENTRIES, '--follow', '--lines=0']);
      const running = await this.#machine.start(words, { signal, timeLimit: TIME_LIMITS.follow });
      running.exit.then(leave, leave);
      return entriesOf(running, this.#machine.system);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Undefined when the unit has no entries in the window. */
  async #locate(unit: string, lines: number, signal: AbortSignal): Promise<Window | undefined> {
    const wanted = ['--output-fields=PRIORITY', '--reverse', `--lines=${lines + 1}`];
    const { oldest, second, count } = await this.#count(this.#words(unit, ['--since=-1h', ...wanted]), signal);
    if (count === 0) {
      await this.#requireEntries(signal);
      return undefined;
    }
    const truncated = count > lines;
    const cursor = parseObject((truncated ? second : oldest) ?? '')?.__CURSOR;
    if (typeof cursor !== 'string') throw new Error('journalctl printed an entry without a cursor');
    return { cursor, count: Math.min(count, lines), truncated };
  }

  /** A journal without any entry is one that is not kept, or that this user may not read: no answer, not an empty one. */
  async #requireEntries(signal: AbortSignal): Promise<void> {
    const { count } = await this.#count(
      ['journalctl', ...this.#where(), '--lines=1', '--output-fields=PRIORITY'],
      signal,
    );
    if (count > 0) return;
    throw unavailable(
      `journal of ${this.#machine.system}`,
      'Start systemd-journald, and let the user of this service read it: add it to the group systemd-journal.',
    );
  }

  async #count(words: Words, signal: AbortSignal) {
    const running = await this.#machine.start(words, { signal, timeLimit: TIME_LIMITS.locate });
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
      await running.exit; // says why the output broke off
      throw error;
    }
    const { code, stderr } = await running.exit;
    if (code !== 0) {
      const said = stderr.split('\n')[0] || `exit code ${code}`;
      throw unavailable(`journal of ${this.#machine.system}`, `It is needed to read logs. journalctl: ${said}`);
    }
    return { count, oldest, second };
  }

  #words(unit: string, more: readonly string[]): Words {
    return ['journalctl', ...this.#where(), `--unit=${unit}`, ...more];
  }

  #where(): string[] {
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
