import type { Logger } from '../../../observability/logger.ts';

/** How much of a message is searched for its topic, and how many topics are remembered. */
const HEAD_BYTES = 1_000;
const MAX_TOPICS = 100;

/** Logs the first message of each topic that is not JSON: many servers write NaN into odometry, which JSON has not. */
export class MalformedMessages {
  readonly #logger: Logger;
  readonly #topics = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  note(data: Buffer): void {
    const [, topic = 'unknown'] = /"topic": ?"([^"\\]{1,255})"/.exec(data.toString('latin1', 0, HEAD_BYTES)) ?? [];
    if (this.#topics.has(topic) || this.#topics.size >= MAX_TOPICS) return;
    this.#topics.add(topic);
    this.#logger.warn({ topic }, 'ignored messages of the robot that are not JSON; NaN and Infinity are not');
  }
}
