import type { RobotLink } from '../../../functions/shared/robot-link/port.ts';
import { RATED_TOPICS, type RatedTopic, ratedFrame } from './dialect-messages.ts';
import type { TopicBoard } from './topic-board.ts';

/** 10 times a second. */
const SAMPLE_MS = 100;
/** Interval at which an unchanged value is repeated. */
const REPEAT_MS = 1_000;
/** Published with every sample, changed or not. */
const STEADY: ReadonlySet<RatedTopic> = new Set(['runes']);

interface Told {
  readonly frame: string;
  readonly at: number;
}

/** Samples topics of the robot while somebody is subscribed to them. */
export class RatedTopics {
  readonly #link: () => Promise<Pick<RobotLink, 'topic'>>;
  readonly #board: TopicBoard;
  readonly #told = new Map<RatedTopic, Told>();
  #timer: NodeJS.Timeout | undefined;
  #sampling = false;

  constructor(link: () => Promise<Pick<RobotLink, 'topic'>>, board: TopicBoard) {
    this.#link = link;
    this.#board = board;
  }

  /** Called for a new subscriber, who gets the current value with the next sample. */
  joined(topic: RatedTopic): void {
    this.#told.delete(topic);
    this.#timer ??= setInterval(() => void this.#sample(), SAMPLE_MS).unref();
  }

  async #sample(): Promise<void> {
    if (this.#sampling) return; // the robot is slow to respond
    const wanted = RATED_TOPICS.filter((topic) => this.#board.has(topic));
    if (wanted.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#sampling = true;
    for (const topic of wanted) await this.#tell(topic).catch(() => undefined); // read again with the next sample
    this.#sampling = false;
  }

  async #tell(topic: RatedTopic): Promise<void> {
    const value = await (await this.#link()).topic?.(topic);
    const frame = value === undefined ? undefined : ratedFrame(topic, value);
    if (frame === undefined) return;
    const now = performance.now();
    const told = this.#told.get(topic);
    if (told?.frame === frame && !STEADY.has(topic) && now - told.at < REPEAT_MS) return;
    this.#told.set(topic, { frame, at: now });
    this.#board.offer(topic, frame);
  }
}
