import { Counter, type Histogram, type Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;

interface Tally {
  readonly name: string;
  readonly help: string;
}

/**
 * Durations counted in plain numbers, shown as a Prometheus histogram. prom-client's own looks its labels up at
 * each observation, which costs more than everything else that is counted of a request.
 */
export class TimerFamily {
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly name: string;
  readonly help: string;
  readonly #bounds: readonly number[];
  readonly #timers: Timer[] = [];

  /** @param bounds the upper bounds of the buckets in seconds, ascending. */
  constructor({ name, help }: Tally, bounds: readonly number[], registry: Registry) {
    this.name = name;
    this.help = help;
    this.#bounds = bounds;
    registry.registerMetric(this as unknown as Histogram); // as: a registry asks a metric for its name and for `get` only
  }

  /** A timer of its own for these labels; to be asked for once. */
  timer(labels: Labels): Timer {
    const timer = new Timer(labels, this.#bounds);
    this.#timers.push(timer);
    return timer;
  }

  async get() {
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values: this.#timers.flatMap((timer) => timer.samples(name)) };
  }
}

class Timer {
  readonly #labels: Labels;
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  constructor(labels: Labels, bounds: readonly number[]) {
    this.#labels = labels;
    this.#bounds = bounds;
    this.#counts = new Array(bounds.length + 1).fill(0);
  }

  observe(seconds: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket += 1; // as: the index is in range
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1; // as: one more count than bounds
    this.#sum += seconds;
  }

  /** The samples of a scrape: cumulative buckets, then sum and count. */
  samples(name: string) {
    let below = 0;
    const buckets = this.#counts.map((count, index) => {
      below += count;
      return {
        metricName: `${name}_bucket`,
        labels: { le: this.#bounds[index] ?? '+Inf', ...this.#labels },
        value: below,
      };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: this.#labels, value: this.#sum },
      { metricName: `${name}_count`, labels: this.#labels, value: below },
    ];
  }
}

/** Counters kept as plain numbers, and passed to prom-client at each scrape. */
export class CounterFamily {
  readonly #counts: Count[] = [];

  constructor(tally: Tally, labelNames: readonly string[], registry: Registry) {
    const counts = this.#counts;
    new Counter({
      ...tally,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels, value } of counts) this.inc(labels, value);
      },
    });
  }

  /** A count of its own for these labels; to be asked for once. */
  count(labels: Labels): Count {
    const count = new Count(labels);
    this.#counts.push(count);
    return count;
  }
}

export class Count {
  readonly labels: Labels;
  value = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  increment(): void {
    this.value += 1;
  }
}

/** A counter with one label, which starts at 0 for the values that are known beforehand. */
export function labelledCounter<Value extends string>(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  values: readonly Value[] = [],
): (value: Value, count?: number) => void {
  const counter = new Counter({ name, help, labelNames: [label], registers: [registry] });
  for (const value of values) counter.inc({ [label]: value }, 0);
  return (value, count = 1) => counter.inc({ [label]: value }, count);
}
