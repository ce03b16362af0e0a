import { type Hold, monotonicMs } from './messages.ts';

/** How long after its last announced end motion is stopped, in ms: the service itself should have done so by then. */
const GRACE_MS: Readonly<Record<string, number>> = { lease: 2_000, jog: 100 };

type EndMotion = (kind: Hold['kind'], why: string) => void;

/**
 * Motion that the service has announced to last until a certain time. What it can no longer end itself is ended here.
 * Motion that was not announced goes on.
 */
export class Holds {
  readonly #end: EndMotion;
  #holds: readonly Hold[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param end ends motion of this kind. */
  constructor(end: EndMotion) {
    this.#end = end;
  }

  /** All that the service announces now. */
  take(holds: readonly Hold[]): void {
    clearTimeout(this.#timer);
    // Kinds of a newer service than this guard.
    this.#holds = holds.filter(({ kind, until }) => GRACE_MS[kind] !== undefined && Number.isFinite(until));
    if (this.#holds.length === 0) return;
    const firstEnd = Math.min(...this.#holds.map(lastMoment));
    this.#timer = setTimeout(() => this.#judge(), firstEnd - monotonicMs());
  }

  /** The service has gone without a word. */
  hostDied(): void {
    this.#act(this.#holds, 'the service died');
  }

  #judge(): void {
    const now = monotonicMs();
    const over = this.#holds.filter((hold) => now >= lastMoment(hold));
    this.#act(over, 'its announced end has passed');
  }

  #act(over: readonly Hold[], why: string): void {
    this.take(this.#holds.filter((hold) => !over.includes(hold)));
    for (const { kind } of over) this.#end(kind, why);
  }
}

function lastMoment({ kind, until }: Hold): number {
  return until + (GRACE_MS[kind] ?? 0);
}
