/** One line as it is shown. */
export interface LogLine {
  readonly timestamp: string;
  readonly priority: number | null;
  readonly message: string;
}

/** So many lines are kept, however many come: the page stays as large as it is. */
const MAX_LINES = 10_000;
/** They are dropped so many at a time: one by one would move all others each time. */
const SLACK = 1000;
/** The service sends them longer; a line that is shown is one line. */
const MAX_CHARS = 1000;

/** The newest lines of a log, and those of them that fit a filter. */
export class LogLines {
  #lines: LogLine[] = [];
  #fitting: LogLine[] = [];
  #text = '';
  #severity = 7;
  /** Lines that are no longer kept. */
  dropped = 0;

  get kept(): number {
    return this.#lines.length;
  }

  get fitting(): readonly LogLine[] {
    return this.#fitting;
  }

  add(lines: readonly LogLine[]): void {
    for (const { timestamp, priority, message } of lines) {
      const line = { timestamp, priority, message: message.slice(0, MAX_CHARS) };
      this.#lines.push(line);
      if (this.#fits(line)) this.#fitting.push(line);
    }
    const surplus = this.#lines.length - MAX_LINES;
    if (surplus < SLACK && this.#lines.length < MAX_LINES + SLACK) return;
    const gone = new Set(this.#lines.splice(0, surplus));
    this.dropped += surplus;
    this.#fitting = this.#fitting.filter((line) => !gone.has(line));
  }

  /** @param severity this syslog severity and worse; lines without one always fit. */
  filter(text: string, severity: number): void {
    this.#text = text.toLowerCase();
    this.#severity = severity;
    this.#fitting = this.#lines.filter((line) => this.#fits(line));
  }

  /** The moment of the newest line; undefined while there is none. */
  get newest(): string | undefined {
    return this.#lines.at(-1)?.timestamp;
  }

  #fits({ priority, message }: LogLine): boolean {
    return (priority ?? 0) <= this.#severity && (this.#text === '' || message.toLowerCase().includes(this.#text));
  }
}
