import { isJsonObject, type JsonValue } from '../../../functions/shared/kit/json.ts';

/** What a report says: ms of a monotonic clock, whether it says that the robot moves, and every number in it by its path. */
interface Sample {
  readonly at: number;
  readonly moves: boolean;
  readonly places: ReadonlyMap<string, number>;
}

/** Metres, radians or degrees; sensors tremble. */
const TREMBLE = 0.004;
const MAX_SAMPLES = 5_000;
const WITHOUT_PLACE: ReadonlySet<string> = new Set(['v', 'battery', 'velocity']);

/** What the robot has told about its movement, by its own sensors. */
export class Movement {
  #samples: Sample[] = [];

  /** A message from one source: the topic `state` or `joints`, or a topic of ROS. */
  take(source: string, message: JsonValue, at: number): void {
    if (!isJsonObject(message)) return;
    const places = new Map<string, number>();
    const { velocity, moving } = message;
    for (const [name, value] of Object.entries(message)) {
      if (!WITHOUT_PLACE.has(name)) gather(`${source}.${name}`, value ?? null, places);
    }
    const speeds = isJsonObject(velocity) ? Object.values(velocity) : [];
    const fast = speeds.some((speed) => typeof speed === 'number' && Math.abs(speed) > 0.01);
    this.#samples.push({ at, moves: moving === true || fast, places });
    if (this.#samples.length > MAX_SAMPLES) this.#samples = this.#samples.slice(-MAX_SAMPLES / 2);
  }

  /** Whether anything was reported since that time. */
  reported(since: number): boolean {
    return this.#samples.some(({ at }) => at >= since);
  }

  /** How many reports have come since that time. */
  count(since: number): number {
    return this.#samples.filter(({ at }) => at >= since).length;
  }

  /** Whether the reports that came between these times say that the robot moved. */
  seen(from: number, to = Number.POSITIVE_INFINITY): boolean {
    const within = this.#samples.filter(({ at }) => at >= from && at <= to);
    if (within.some(({ moves }) => moves)) return true;
    const ranges = new Map<string, [number, number]>();
    for (const { places } of within) {
      for (const [name, value] of places) {
        const [low, high] = ranges.get(name) ?? [value, value];
        ranges.set(name, [Math.min(low, value), Math.max(high, value)]);
      }
    }
    return [...ranges.values()].some(([low, high]) => high - low > TREMBLE);
  }
}

function gather(path: string, value: JsonValue, found: Map<string, number>): void {
  if (typeof value === 'number') found.set(path, value);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) gather(`${path}.${name}`, member ?? null, found);
  }
}
