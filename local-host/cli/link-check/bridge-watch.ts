import { performance } from 'node:perf_hooks';
import { ReportedState } from '../../../functions/shared/events/data.schema.ts';
import { Calls } from '../../../functions/shared/kit/calls.ts';
import type { JsonObject, JsonValue } from '../../../functions/shared/kit/json.ts';
import { createLogger } from '../../../functions/shared/observability/logger.ts';
import { linkBroken } from '../../../functions/shared/robot-link/adapters/robot-errors.ts';
import { Connection } from '../../../functions/shared/robot-link/adapters/rosbridge/connection.ts';
import type { Mapping } from '../../../functions/shared/robot-link/adapters/rosbridge/mapping.ts';
import { UnfitValue } from '../../../functions/shared/robot-link/adapters/rosbridge/template.ts';
import { Movement } from './movement.ts';

const CALL_MS = 5_000;

/**
 * A connection to the rosbridge server beside the link that is checked. It sees each report when it comes: the link
 * keeps the last one for seconds, which looks like a robot at rest.
 */
export class BridgeWatch {
  /** What all reports show. */
  readonly movement = new Movement();
  /** What those show that tell how the base moves: joints may be those of an arm. */
  readonly base = new Movement();
  readonly #connection: Connection;
  readonly #calls = new Calls<JsonObject>();
  readonly #readers = new Map<string, Array<(message: JsonValue, at: number) => void>>();

  constructor(url: string, { reports }: Mapping) {
    for (const { topic, read } of reports.state)
      this.#read(topic, (message, at) => this.#takeState(topic, read(message), at));
    for (const { topic, read } of reports.joints) {
      this.#read(topic, (message, at) => {
        const { names, positions } = read(message);
        const byName = Object.fromEntries(names.map((name, index) => [name, positions[index] ?? 0]));
        this.movement.take(topic, { joints: byName }, at);
      });
    }
    const topics = [...reports.state, ...reports.joints];
    this.#connection = new Connection(url, createLogger('silent'), {
      opened: () => {
        for (const { topic, type, throttleMs } of topics) {
          const subscription = { op: 'subscribe', id: `watch:${topic}`, topic, type };
          this.#connection.sendUrgently({ ...subscription, throttle_rate: throttleMs, queue_length: 1 });
        }
      },
      received: (message) => this.#received(message),
      lost: () => this.#calls.failAll(linkBroken()),
    });
  }

  /** The first attempt to connect has ended, either way. */
  attempted(): Promise<void> {
    return this.#connection.attempted;
  }

  /** Calls a service. @returns its answer; undefined where there is none, or no such service. */
  async call(service: string, args: JsonObject = {}): Promise<JsonValue | undefined> {
    const send = (id: string) => this.#connection.sendUrgently({ op: 'call_service', id, service, args });
    try {
      const { result, values } = await this.#calls.ask(send, AbortSignal.timeout(CALL_MS));
      return result === false ? undefined : values;
    } catch {
      return undefined;
    }
  }

  close(): void {
    this.#connection.close();
  }

  #read(topic: string, reader: (message: JsonValue, at: number) => void): void {
    this.#readers.set(topic, [...(this.#readers.get(topic) ?? []), reader]);
  }

  #takeState(topic: string, values: Readonly<Record<string, unknown>>, at: number): void {
    const state = ReportedState.safeParse(values).data;
    if (!state) return;
    const { pose, velocity, moving } = state;
    const isOfBase = pose !== undefined || velocity !== undefined || moving !== undefined;
    for (const movement of isOfBase ? [this.movement, this.base] : [this.movement]) {
      movement.take(topic, state as JsonValue, at); // as: it was parsed from JSON
    }
  }

  #received({ op, id, topic, msg = null, ...answer }: JsonObject): void {
    if (op === 'service_response' && typeof id === 'string') this.#calls.settle(id, answer);
    if (op !== 'publish' || typeof topic !== 'string') return;
    for (const read of this.#readers.get(topic) ?? []) {
      try {
        read(msg, performance.now());
      } catch (error) {
        if (!(error instanceof UnfitValue)) throw error; // the link has its own words for those
      }
    }
  }
}
