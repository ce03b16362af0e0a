import { performance } from 'node:perf_hooks';
import type { JsonValue } from '../../../kit/json.ts';
import type { EmergencyStop } from '../../port.ts';
import type { EmergencyStopTopic } from './report-plan.ts';
import { UnfitValue } from './template.ts';
import type { Topics } from './topics.ts';

/** Maximum age of a report in ms. */
const MAX_AGE_MS = 2_000;

/** The emergency stop of the robot, as reported on a topic of the mapping. */
export class ReportedEmergencyStop implements EmergencyStop {
  readonly source: string;
  readonly #topic: EmergencyStopTopic;
  readonly #listeners: Array<() => void> = [];
  #reported: { readonly isEngaged: boolean; readonly at: number } | undefined;
  #told: EmergencyStop['state'] = 'unknown';
  #timer: NodeJS.Timeout | undefined;

  constructor(topic: EmergencyStopTopic, topics: Topics) {
    this.source = topic.topic;
    this.#topic = topic;
    // On the connection of the stops, which is not reset by a stop; every message counts.
    const subscription = { name: topic.topic, type: topic.type, throttleMs: topic.throttle_ms, lossless: true };
    topics.follow(subscription, 'urgent');
    topics.listen(topic.topic, (message) => this.#note(message), 'urgent');
  }

  get state(): EmergencyStop['state'] {
    if (!this.#reported || performance.now() - this.#reported.at > MAX_AGE_MS) return 'unknown';
    return this.#reported.isEngaged ? 'engaged' : 'released';
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Marks the state as unknown, because the connection was lost. */
  lose(): void {
    this.#reported = undefined;
    this.#tell();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #note(message: JsonValue): void {
    const isEngaged = this.#read(message);
    this.#reported = typeof isEngaged === 'boolean' ? { isEngaged, at: performance.now() } : undefined;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tell(), MAX_AGE_MS + 1).unref();
    this.#tell();
  }

  #read(message: JsonValue): JsonValue | undefined {
    try {
      return this.#topic.engaged.fill({ message });
    } catch (error) {
      if (error instanceof UnfitValue) return undefined;
      throw error;
    }
  }

  #tell(): void {
    const { state } = this;
    if (state === this.#told) return;
    this.#told = state;
    for (const listener of this.#listeners) listener();
  }
}
