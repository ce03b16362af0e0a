import { setTimeout as pause } from 'node:timers/promises';
import type { RobotSummary } from '../../port.ts';
import type { Broker } from '../broker/broker.ts';
import { ROBOT_ID } from '../broker/broker-address.ts';
import type { Message } from '../broker/message.ts';
import { readPresence } from './presence.ts';
import { ALL_PRESENCE } from './topics.ts';

/** How long retained messages may take to arrive, and how long a survey is good, in ms. */
const LISTEN_MS = 500;
const KEPT_MS = 2_000;
const MAX_ROBOTS = 1_000;

type Seen = Omit<RobotSummary, 'since'>;

/** Reads the presence of every robot that the broker keeps one of. At most one survey runs at a time. */
export class Survey {
  readonly #broker: Pick<Broker, 'up' | 'subscribe' | 'unsubscribe'>;
  readonly #seen = new Map<string, Seen>();
  #present: Promise<readonly Seen[]> | undefined;

  constructor(broker: Pick<Broker, 'up' | 'subscribe' | 'unsubscribe'>) {
    this.#broker = broker;
  }

  /** Takes a presence message of any robot; ignored while no survey runs. */
  take(robotId: string, { payload }: Message): void {
    if (!this.#present || !ROBOT_ID.test(robotId)) return;
    if (this.#seen.size >= MAX_ROBOTS && !this.#seen.has(robotId)) return;
    const presence = readPresence(payload);
    if (!presence) return;
    this.#seen.set(robotId, {
      id: robotId,
      online: presence.message.online,
      catalogueSize: presence.catalogue.size,
    });
  }

  /** The robots by id; none without a connection. */
  run(): Promise<readonly Seen[]> {
    this.#present ??= this.#listen();
    return this.#present;
  }

  async #listen(): Promise<readonly Seen[]> {
    try {
      await this.#broker.subscribe(ALL_PRESENCE, { qos: 0 });
      await pause(LISTEN_MS);
      return [...this.#seen.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    } finally {
      this.#broker.unsubscribe(ALL_PRESENCE);
      setTimeout(() => {
        this.#present = undefined;
        this.#seen.clear();
      }, KEPT_MS).unref();
    }
  }
}
