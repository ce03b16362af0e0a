/** What all events of one run of the service have in common. */
export interface Run {
  /** CloudEvents `source`. */
  readonly source: string;
  /** First part of every id. */
  readonly boot: string;
}

interface HubEventParts {
  /** Its place in the order of this run. */
  readonly n: number;
  readonly channel: string;
  /** Only the newest of its channel counts. */
  readonly latest: boolean;
  readonly type: string;
  readonly subject: string | undefined;
  /** ms since the epoch. */
  readonly at: number;
  readonly data: unknown;
}

/** Assumed size of an event that nobody has asked for yet, in characters. */
const BASE_SIZE = 512;

/** One event. Its text is made when somebody first wants it, once for all of them. */
export class HubEvent {
  readonly n: number;
  readonly channel: string;
  readonly latest: boolean;
  readonly type: string;
  readonly subject: string | undefined;
  readonly at: number;
  readonly data: unknown;
  readonly #run: Run;
  #json: string | undefined;

  constructor(run: Run, { n, channel, latest, type, subject, at, data }: HubEventParts) {
    this.#run = run;
    this.n = n;
    this.channel = channel;
    this.latest = latest;
    this.type = type;
    this.subject = subject;
    this.at = at;
    this.data = data;
  }

  get id(): string {
    return `${this.#run.boot}-${this.n}`;
  }

  /** CloudEvents 1.0, JSON event format. */
  get json(): string {
    if (this.#json === undefined) {
      const { id, type, subject, data } = this;
      const time = new Date(this.at).toISOString();
      this.#json = JSON.stringify({ specversion: '1.0', id, source: this.#run.source, type, time, subject, data });
    }
    return this.#json;
  }

  /** In characters; an estimate while it has no text. */
  get size(): number {
    if (this.#json !== undefined) return this.#json.length;
    const { data } = this;
    const text = typeof data === 'object' && data !== null && 'message' in data ? data.message : undefined;
    return BASE_SIZE + (typeof text === 'string' ? text.length : 0);
  }
}
