import { Fifo } from '../kit/fifo.ts';
import type { HubEvent } from './hub-event.ts';

export interface HistoryLimits {
  readonly events: number;
  readonly characters: number;
  readonly ageMs: number;
}

/** The last 10 000 events, 16 Mi characters or 10 minutes. */
export const HISTORY_LIMITS: HistoryLimits = { events: 10_000, characters: 16 * 1024 * 1024, ageMs: 600_000 };

/** How often old events are looked for while new ones come. */
const EXPIRE_MS = 1_000;

interface Kept {
  readonly event: HubEvent;
  readonly size: number;
}

interface Track {
  readonly kept: Fifo<Kept>;
  /** Number of the newest event that is no longer kept. */
  lostUpTo: number;
}

/**
 * What happened lately, for those who come back. When there is no more room, the channel with the most events loses its
 * oldest one, so that a busy channel does not push out the others.
 */
export class History {
  readonly #limits: HistoryLimits;
  readonly #tracks = new Map<string, Track>();
  #count = 0;
  #characters = 0;
  #expiredAt = 0;

  constructor(limits: HistoryLimits = HISTORY_LIMITS) {
    this.#limits = limits;
  }

  add(event: HubEvent): void {
    const track = this.#tracks.get(event.channel) ?? { kept: new Fifo<Kept>(), lostUpTo: 0 };
    this.#tracks.set(event.channel, track);
    const { size } = event;
    track.kept.push({ event, size });
    this.#count += 1;
    this.#characters += size;
    if (Math.abs(event.at - this.#expiredAt) >= EXPIRE_MS) this.#expire(event.at);
    while (this.#count > this.#limits.events || this.#characters > this.#limits.characters) this.#dropFromLongest();
  }

  /** The events of a channel after that number; undefined when some of them are lost. */
  since(channel: string, n: number, now: number): HubEvent[] | undefined {
    this.#expire(now);
    const track = this.#tracks.get(channel);
    if (!track) return [];
    if (track.lostUpTo > n) return undefined;
    return track.kept.newestWhile(({ event }) => event.n > n).map(({ event }) => event);
  }

  /** Forgets a channel, as if it had never been. */
  forget(channel: string): void {
    const track = this.#tracks.get(channel);
    while (track && track.kept.length > 0) this.#dropFrom(track);
    this.#tracks.delete(channel);
  }

  #expire(now: number): void {
    this.#expiredAt = now;
    const oldest = now - this.#limits.ageMs;
    for (const track of this.#tracks.values()) {
      for (let first = track.kept.first; first && first.event.at < oldest; first = track.kept.first)
        this.#dropFrom(track);
    }
  }

  #dropFromLongest(): void {
    let longest: Track | undefined;
    for (const track of this.#tracks.values()) {
      if (!longest || track.kept.length > longest.kept.length) longest = track;
    }
    if (longest) this.#dropFrom(longest);
  }

  #dropFrom(track: Track): void {
    const dropped = track.kept.shift();
    if (!dropped) return;
    track.lostUpTo = dropped.event.n;
    this.#count -= 1;
    this.#characters -= dropped.size;
  }
}
