import type { HubEvent } from './hub-event.ts';
import type { TopicName } from './topics.ts';

/** What a new subscriber of a topic is told, kept up to date by the events themselves. */
interface Snapshot {
  take(event: HubEvent): void;
  read(): unknown;
}

/** Things that begin and end, each with an id. */
class Collection implements Snapshot {
  readonly #member: string;
  readonly #idOf: (data: Readonly<Record<string, unknown>>) => unknown;
  readonly #lasts: ReadonlySet<string>;
  readonly #present = new Map<unknown, unknown>();

  /** @param lasts verbs after which an item is active; all others end it. */
  constructor(member: string, key: string, lasts: readonly string[]) {
    this.#member = member;
    this.#idOf = (data) => data[key];
    this.#lasts = new Set(lasts);
  }

  take({ type, data }: HubEvent): void {
    const id = this.#idOf(data as Readonly<Record<string, unknown>>); // as: data of these topics are objects
    if (this.#lasts.has(type.slice(type.lastIndexOf('.') + 1))) this.#present.set(id, data);
    else this.#present.delete(id);
  }

  read(): unknown {
    return { [this.#member]: [...this.#present.values()] };
  }
}

/** The last event. */
class Last implements Snapshot {
  #last: HubEvent | undefined;

  take(event: HubEvent): void {
    this.#last = event;
  }

  read(): unknown {
    return this.#last === undefined ? null : JSON.parse(this.#last.json);
  }
}

/** The data of the last event. */
class LastData implements Snapshot {
  #data: unknown = null;

  take({ data }: HubEvent): void {
    this.#data = data;
  }

  read(): unknown {
    return this.#data;
  }
}

/** One for each topic whose snapshot follows from its events. */
export function newSnapshots(): ReadonlyMap<string, Snapshot> {
  const snapshots: ReadonlyArray<readonly [TopicName, Snapshot]> = [
    ['safety', new Last()],
    ['lease', new LastData()],
    ['missions', new Collection('missions', 'id', ['started', 'progressed'])],
    ['runs', new Collection('runs', 'id', ['starting', 'running', 'stopping'])],
    ['alerts', new Collection('alerts', 'alert', ['raised'])],
  ];
  return new Map(snapshots);
}
