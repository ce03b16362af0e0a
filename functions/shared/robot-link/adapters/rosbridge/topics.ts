import { performance } from 'node:perf_hooks';
import { ServiceError } from '../../../errors.ts';
import type { JsonObject, JsonValue } from '../../../kit/json.ts';
import type { Connection } from './connection.ts';
import type { Lane } from './connections.ts';

/** A topic that is listened to, and how. */
interface Subscription {
  readonly name: string;
  readonly type: string;
  /** Least time between two messages, in ms. */
  readonly throttleMs: number;
  /** Every message matters, not only the latest. */
  readonly lossless?: boolean;
}

/** Which connections topics are published over. */
type AdvertisedLane = Exclude<Lane, 'blocking'>;
/** Which connections topics are listened to on. */
type FollowedLane = Exclude<AdvertisedLane, 'jog'>;

interface Followed extends Subscription {
  readonly listeners: Set<(message: JsonValue) => void>;
  latest: { readonly message: JsonValue; readonly at: number } | undefined;
}

/** The topics the link publishes to and listens to; they are announced to the server at each new connection. */
export class Topics {
  readonly #advertised: Readonly<Record<AdvertisedLane, Map<string, string>>> = {
    ordinary: new Map(),
    urgent: new Map(),
    jog: new Map(),
  };
  /** What commands ask for, and what a stop needs: that is listened to on the connection which no stop ends. */
  readonly #followed = { ordinary: new Map<string, Followed>(), urgent: new Map<string, Followed>() };
  readonly #waiting = new Set<(error: unknown) => void>();

  /** Will be published to. Known to the server beforehand, so that the first message reaches those who listen. */
  advertise(name: string, type: string, lane: AdvertisedLane = 'ordinary'): void {
    this.#advertised[lane].set(name, type);
  }

  /** Will be listened to. Where several ask for a topic the shortest time between messages counts. */
  follow({ name, type, throttleMs, lossless = false }: Subscription, lane: FollowedLane = 'ordinary'): void {
    const before = this.#followed[lane].get(name);
    const shortest = Math.min(throttleMs, before?.throttleMs ?? throttleMs);
    const listeners = before?.listeners ?? new Set();
    this.#followed[lane].set(name, {
      name,
      type,
      throttleMs: shortest,
      lossless: lossless || before?.lossless === true,
      listeners,
      latest: undefined,
    });
  }

  /** Hears every message of a topic that is followed on this connection. Gives what ends that. */
  listen(name: string, listener: (message: JsonValue) => void, lane: FollowedLane = 'urgent'): () => void {
    const listeners = this.#followed[lane].get(name)?.listeners;
    listeners?.add(listener);
    return () => void listeners?.delete(listener);
  }

  opened(connection: Connection, lane: Lane): void {
    if (lane === 'blocking') return;
    for (const [topic, type] of this.#advertised[lane]) {
      connection.sendUrgently({ op: 'advertise', id: `advertise:${topic}`, topic, type });
    }
    if (lane === 'jog') return;
    for (const { name, type, throttleMs, lossless } of this.#followed[lane].values()) {
      const subscription = { op: 'subscribe', id: `subscribe:${name}`, topic: name, type };
      connection.sendUrgently({ ...subscription, throttle_rate: throttleMs, queue_length: lossless ? 0 : 1 });
    }
  }

  received({ topic, msg }: JsonObject, lane: Lane): void {
    if (typeof topic !== 'string' || msg === undefined || lane === 'blocking' || lane === 'jog') return;
    const followed = this.#followed[lane].get(topic);
    if (!followed) return;
    followed.latest = { message: msg, at: performance.now() };
    for (const listener of [...followed.listeners]) listener(msg);
  }

  /** What was said before the connection of the commands was lost is not what is so now. */
  lost(lane: Lane, error: unknown): void {
    if (lane !== 'ordinary') return;
    for (const followed of this.#followed.ordinary.values()) followed.latest = undefined;
    for (const leave of [...this.#waiting]) leave(error);
  }

  /**
   * The latest message, if it is not older than `maxAgeMs`; else the next, if it comes within as long.
   * @throws ServiceError `robot_timeout` when the topic stays silent.
   */
  latest(name: string, maxAgeMs: number, signal: AbortSignal): JsonValue | Promise<JsonValue> {
    const latest = this.#followed.ordinary.get(name)?.latest;
    if (latest && performance.now() - latest.at <= maxAgeMs) return latest.message;
    return this.#next(name, maxAgeMs, signal);
  }

  #next(name: string, ms: number, signal: AbortSignal): Promise<JsonValue> {
    const listeners = this.#followed.ordinary.get(name)?.listeners;
    return new Promise<JsonValue>((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        listeners?.delete(listener);
        this.#waiting.delete(leave);
        signal.removeEventListener('abort', quit);
      };
      const listener = (message: JsonValue) => {
        end();
        resolve(message);
      };
      const leave = (error: unknown) => {
        end();
        reject(error);
      };
      const quit = () => leave(signal.reason);
      const timer = setTimeout(() => leave(silent(name, ms)), ms).unref();
      listeners?.add(listener);
      this.#waiting.add(leave);
      signal.addEventListener('abort', quit);
      if (signal.aborted) quit();
    });
  }
}

function silent(name: string, ms: number): ServiceError {
  return new ServiceError('robot_timeout', {
    detail: `The robot has published nothing on ${name} for ${ms / 1000} s.`,
  });
}
