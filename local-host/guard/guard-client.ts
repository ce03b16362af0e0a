import { connect } from 'node:net';
import type { Logger } from '../../functions/shared/observability/logger.ts';
import type { Sender } from '../../functions/shared/robot-link/port.ts';
import {
  type Act,
  Channel,
  type Hold,
  type Identity,
  monotonicMs,
  type StopAddresses,
  type ToGuard,
  type ToHost,
} from './messages.ts';

/** How often a connection is tried, and what the guard is told is looked at. */
const TICK_MS = 100;
/** A guard that has given no sign for so long is not there. */
const SILENT_MS = 1_000;
/** So many acts are remembered, so that none is told twice. */
const MAX_HEARD = 1_000;

interface Parts {
  readonly path: string;
  readonly logger: Logger;
  /** See guardedRobot. */
  readonly robot: string;
  /** What the guard judges tokens by, at present. */
  readonly identity: () => Identity;
  /** What must not go on without this process, at present. */
  readonly holds: () => readonly Hold[];
  /** The guard has stopped the robot. The fence has risen when this returns. */
  readonly onStop: (word: number, sender: Sender | undefined) => void;
  /** The guard has done something; told once. */
  readonly onAct: (act: Act) => void;
}

/** The service's end of the private socket to its guard. Connects again whenever it has to. */
export class GuardClient {
  readonly #parts: Parts;
  readonly #timer: NodeJS.Timeout;
  #channel: Channel<ToGuard, ToHost> | undefined;
  #isWelcome = false;
  #lastSignAt = Number.NEGATIVE_INFINITY;
  #serving: (ToHost & { readonly type: 'serving' }) | undefined;
  readonly #heard = new Set<string>();
  #identity = '';
  #holds = '[]';

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    this.#connect();
  }

  /** Whether a guard is connected, though perhaps silent. */
  get isThere(): boolean {
    return this.#isWelcome;
  }

  /** Whether it has given a sign within the last second. */
  get isLiving(): boolean {
    return this.#isWelcome && monotonicMs() - this.#lastSignAt < SILENT_MS;
  }

  /** Where it serves; undefined while it is not there. */
  get addresses(): StopAddresses | undefined {
    return this.#isWelcome ? this.#serving?.addresses : undefined;
  }

  /** Why it does not serve as it should, as it says itself. */
  get problem(): string | undefined {
    return this.#serving?.problem;
  }

  /** Announces what must not go on without this process, if that has changed. */
  announce(): void {
    const holds = this.#parts.holds();
    const text = JSON.stringify(holds);
    if (text === this.#holds) return;
    this.#holds = text;
    this.#channel?.send({ type: 'holds', holds });
  }

  /** A planned end: nothing is stopped because this process goes. */
  close(): void {
    clearInterval(this.#timer);
    this.#channel?.send({ type: 'bye' });
    this.#channel?.socket.end();
  }

  #tick(): void {
    if (this.#channel) {
      this.announce();
      this.#handOver();
    } else this.#connect();
  }

  #connect(): void {
    const socket = connect(this.#parts.path).unref();
    const channel: Channel<ToGuard, ToHost> = new Channel(socket, (message) => this.#receive(channel, message));
    this.#channel = channel;
    socket.once('connect', () => {
      this.#identity = '';
      this.#holds = '';
      channel.send({ type: 'hello', pid: process.pid, robot: this.#parts.robot });
      this.announce();
      this.#handOver();
    });
    socket.once('close', () => {
      if (this.#isWelcome) this.#parts.logger.error('the guard is not connected any more');
      this.#channel = undefined;
      this.#isWelcome = false;
      this.#serving = undefined;
    });
  }

  #receive(channel: Channel<ToGuard, ToHost>, message: ToHost): void {
    if (message.type === 'in_use') {
      channel.socket.destroy();
      return;
    }
    this.#isWelcome = true;
    this.#lastSignAt = monotonicMs();
    if (message.type === 'serving') this.#serving = message;
    if (message.type === 'act') this.#hear(channel, message.act);
    if (message.type !== 'stop') return;
    this.#parts.onStop(message.word, message.sender);
    channel.send({ type: 'fenced', word: message.word });
  }

  /** It is told again until it was heard. */
  #hear(channel: Channel<ToGuard, ToHost>, act: Act): void {
    channel.send({ type: 'heard', id: act.id });
    if (this.#heard.has(act.id)) return;
    if (this.#heard.size >= MAX_HEARD) this.#heard.clear();
    this.#heard.add(act.id);
    this.#parts.onAct(act);
  }

  #handOver(): void {
    const identity = this.#parts.identity();
    const text = JSON.stringify(identity);
    if (text === this.#identity) return;
    this.#identity = text;
    this.#channel?.send({ type: 'identity', ...identity });
  }
}
