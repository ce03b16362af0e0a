import { randomBytes } from 'node:crypto';
import type { Logger } from '../../functions/shared/observability/logger.ts';
import type { RobotMetrics } from '../../functions/shared/observability/metrics.port.ts';
import type { Refusals } from '../../functions/shared/observability/refusals.ts';
import { Broker } from '../../functions/shared/robot-link/adapters/broker/broker.ts';
import type { BrokerAddress } from '../../functions/shared/robot-link/adapters/broker/broker-address.ts';
import { TAKEN_OVER } from '../../functions/shared/robot-link/adapters/broker/failure.ts';
import type { Message } from '../../functions/shared/robot-link/adapters/broker/message.ts';
import { PresenceMessage, read } from '../../functions/shared/robot-link/adapters/mqtt/messages.ts';
import { SessionChanges } from '../../functions/shared/robot-link/adapters/mqtt/session-changes.ts';
import { topicsOf } from '../../functions/shared/robot-link/adapters/mqtt/topics.ts';

/** Long enough for three takeovers even if both programs wait as long as possible before they reconnect. */
const TAKEOVER_WINDOW_MS = 120_000;
const READ_TIMEOUT_MS = 1_000;
const PROBE_TIMEOUT_MS = 5_000;
const PROBE_INTERVAL_MS = 30_000;
const MAX_SESSIONS = 1_000;

interface Parts {
  readonly address: BrokerAddress;
  readonly robotId: string;
  readonly setting: string;
  readonly logger: Logger;
  readonly refusals?: Refusals | undefined;
  readonly metrics: Pick<RobotMetrics, 'linkLost' | 'robotIdConflict'>;
  readonly onMessage: (message: Message) => void;
  /** The robot has joined; its presence may be published. */
  readonly onJoined: () => void;
  readonly onDown: () => void;
  /** How often to check whether the id is free again while standing by. */
  readonly probeIntervalMs?: number;
}

/**
 * The membership of a robot at its broker, with protection against a second program that uses the same id. A broker
 * disconnects a client whose id connects again, and not every broker says why; two such programs would take over from
 * each other forever, and a stop would reach whichever is connected. Therefore each connection has a session id, which
 * is part of its presence and its will. On reconnect, a retained presence with a foreign session reveals another
 * program. After the third takeover this program stands by, and checks from time to time, under a client id that
 * disconnects nobody, whether the other one is gone.
 */
export class BrokerMembership {
  readonly #parts: Parts;
  readonly #presenceTopic: string;
  /**
   * Sessions that do not count as new: our own, those counted before, and the one found at start (usually our own, from
   * before a restart).
   */
  readonly #knownSessions = new Set<string>();
  #changes = newChanges();
  #broker: Broker;
  #session = '';
  #joined = false;
  #isFirst = true;
  #closed = false;
  /** Set while standing by. */
  #probeTimer: NodeJS.Timeout | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#presenceTopic = topicsOf(parts.robotId).presence;
    this.#broker = this.#join();
  }

  /** The current connection; while standing by, the last one, which is closed. */
  get broker(): Broker {
    return this.#broker;
  }

  get session(): string {
    return this.#session;
  }

  get joined(): boolean {
    return this.#joined;
  }

  /** Why this program stays disconnected, or undefined. */
  problem(): string | undefined {
    if (!this.#probeTimer) return undefined;
    return `Another program is connected to the broker as robot "${this.#parts.robotId}"; staying disconnected until it is gone. Stop the other program, or give it its own id.`;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#joined = false;
    clearTimeout(this.#probeTimer);
    await this.#broker.close();
  }

  #join(): Broker {
    const { address, robotId, setting, logger, metrics, refusals, onMessage, onDown } = this.#parts;
    const { stop, commands } = topicsOf(robotId);
    return new Broker({
      address,
      clientId: `robot-${robotId}`,
      setting,
      logger,
      refusals,
      will: () => {
        this.#session = randomBytes(12).toString('base64url');
        this.#remember(this.#session);
        return { topic: this.#presenceTopic, payload: JSON.stringify({ v: 1, online: false, session: this.#session }) };
      },
      topics: () => ({ [stop]: 0, [commands]: 0 }),
      onMessage: (message) => {
        if (message.topic !== this.#presenceTopic) onMessage(message);
      },
      onUp: () => void this.#handleConnect(),
      onDown: (code) => {
        this.#joined = false;
        if (!this.#closed && !this.#probeTimer) metrics.linkLost('relay');
        if (code === TAKEN_OVER) setImmediate(() => this.#standBy());
        onDown();
      },
    });
  }

  async #handleConnect(): Promise<void> {
    const session = this.#session;
    // If the read fails the robot joins anyway: being unreachable for a stop is worse than being taken over.
    const retained = await this.#broker.readRetained(this.#presenceTopic, READ_TIMEOUT_MS).catch(() => undefined);
    if (this.#closed || !this.#broker.up || session !== this.#session) return;
    const foreign = this.#foreignSession(retained);
    if (foreign !== undefined) this.#remember(foreign);
    const isTakeover = foreign !== undefined && !this.#isFirst;
    this.#isFirst = false;
    if (isTakeover && this.#changes.changed()) {
      this.#standBy();
      return;
    }
    this.#joined = true;
    this.#parts.onJoined();
  }

  #foreignSession(retained: Message | undefined): string | undefined {
    const session = retained && read(PresenceMessage, retained.payload)?.session;
    return session === undefined || this.#knownSessions.has(session) ? undefined : session;
  }

  #remember(session: string): void {
    this.#knownSessions.add(session);
    const [oldest] = this.#knownSessions;
    if (this.#knownSessions.size > MAX_SESSIONS && oldest !== undefined) this.#knownSessions.delete(oldest);
  }

  /** Disconnects without publishing a presence: the retained one may be the other program's by now. */
  #standBy(): void {
    if (this.#closed || this.#probeTimer) return;
    const { logger, metrics, robotId } = this.#parts;
    metrics.robotIdConflict('relay');
    this.#scheduleProbe();
    logger.error({ robot: robotId }, this.problem());
    this.#broker
      .close()
      .catch((error: unknown) => logger.warn({ err: error }, 'could not close the broker connection'));
  }

  #scheduleProbe(): void {
    if (this.#closed) return;
    const { probeIntervalMs = PROBE_INTERVAL_MS, logger } = this.#parts;
    this.#probeTimer = setTimeout(() => {
      this.#probe().catch((error: unknown) => {
        logger.error({ err: error }, 'could not check whether the robot id is free');
        this.#scheduleProbe();
      });
    }, probeIntervalMs);
  }

  /**
   * Joins again unless another program is certainly connected. A presence without expiry proves nothing: it may be
   * stale, and would make this robot unreachable for a stop.
   */
  async #probe(): Promise<void> {
    const retained = await this.#readPresence();
    if (this.#closed) return;
    const isFresh = retained?.expirySeconds !== undefined && read(PresenceMessage, retained.payload)?.online === true;
    if (isFresh && this.#isForeign(retained)) {
      this.#scheduleProbe();
      return;
    }
    this.#probeTimer = undefined;
    this.#isFirst = true;
    this.#changes = newChanges();
    this.#broker = this.#join();
  }

  #isForeign({ payload }: Message): boolean {
    return read(PresenceMessage, payload)?.session !== this.#session;
  }

  async #readPresence(): Promise<Message | undefined> {
    const { address, robotId, setting, logger } = this.#parts;
    const probe = new Broker({
      address,
      clientId: `robot-${robotId}-look-${randomBytes(6).toString('hex')}`,
      setting,
      logger: logger.child({}, { level: 'silent' }),
      topics: () => ({ [this.#presenceTopic]: 0 }),
      onMessage: () => undefined,
    });
    try {
      await probe.settled(PROBE_TIMEOUT_MS);
      return await probe.readRetained(this.#presenceTopic, READ_TIMEOUT_MS);
    } finally {
      await probe.close();
    }
  }
}

function newChanges(): SessionChanges {
  return new SessionChanges(() => performance.now(), TAKEOVER_WINDOW_MS);
}
