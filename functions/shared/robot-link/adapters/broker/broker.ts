import type { ISubscriptionMap, MqttClient } from 'mqtt';
import mqttClient from 'mqtt/lib/client';
import { Backoff } from '../../../kit/backoff.ts';
import { Latch } from '../../../kit/latch.ts';
import { within } from '../../../kit/within.ts';
import type { Logger } from '../../../observability/logger.ts';
import type { Refusals } from '../../../observability/refusals.ts';
import type { BrokerAddress } from './broker-address.ts';
import { describeFailure, TAKEN_OVER } from './failure.ts';
import { type Message, messageOf, type Outgoing, publishOptionsOf, readRetained } from './message.ts';
import { guardPackets, openStream } from './stream.ts';
import { UnansweredPings } from './unanswered-pings.ts';

interface BrokerOptions {
  readonly address: BrokerAddress;
  readonly clientId: string;
  /** The setting that holds the address, for messages: never the address itself. */
  readonly setting: string;
  readonly logger: Logger;
  readonly refusals?: Refusals | undefined;
  /** Asked for once for each connection; retained by the broker when that ends in any way but {@link Broker.close}. */
  readonly will?: () => { readonly topic: string; readonly payload: string };
  /** What is subscribed before a connection counts as up, also what was added meanwhile: topic and QoS. */
  readonly topics: () => Readonly<Record<string, 0 | 1>>;
  readonly onMessage: (message: Message) => void;
  readonly onUp?: () => void;
  /** @param code reason code of the broker, or error code of the system, where there was one. */
  readonly onDown?: (code: unknown) => void;
}

interface Subscription {
  readonly qos: 0 | 1;
  readonly retained?: boolean;
}

const KEEP_ALIVE_SECONDS = 10;
/** A live connection is never silent for so long: pings are answered. */
const MAX_SILENCE_MS = 20_000;
/** Topic and properties of our longest message, generously. */
const OVERHEAD = 1024;
const CONNECT_TIMEOUT_MS = 5_000;
/** Larger ones are kept from us by the broker; a request body has at most 1 MiB. */
const LARGEST_PACKET = 4 * 1024 * 1024;
const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 15_000;
/** A connection that was up for less counts as failed: not every broker says that another client has taken over. */
const STEADY_MS = 60_000;
/** To come back at once would only disconnect the other client in turn. */
const TAKEN_OVER_RETRY_MS = 60_000;

/**
 * A connection to an MQTT 5 broker that is restored whenever it is lost, with backoff and jitter.
 *
 * Every connection is a new client and a new session that ends with it (clean start, session expiry 0), and everything
 * is published with QoS 0. So neither this process nor the broker keeps a message for later: what cannot be delivered
 * over the present connections is never delivered.
 */
export class Broker {
  readonly pings = new UnansweredPings();
  readonly #options: BrokerOptions;
  #client: MqttClient | undefined;
  #upSince: number | undefined;
  #closed = false;
  readonly #backoff = new Backoff(FIRST_RETRY_MS, MAX_RETRY_MS);
  #retry: NodeJS.Timeout | undefined;
  #problem: string | undefined;
  #heardAt = 0;
  #lastPacketAt = performance.now();
  #paused = false;
  /** Largest packet this broker takes; a larger one would cost the connection, and everybody their answers. */
  #mostBytes = Number.POSITIVE_INFINITY;
  /** Opens with the first outcome of connecting, good or bad. */
  #settled = new Latch();

  constructor(options: BrokerOptions) {
    this.#options = options;
    this.#open();
  }

  get up(): boolean {
    return this.#upSince !== undefined;
  }

  /** Bytes that are written and have not left this process yet. */
  get backlog(): number {
    return this.#client?.stream.writableLength ?? 0;
  }

  /** Why there is no connection, in a sentence that may be shown; undefined while there is one. */
  get problem(): string | undefined {
    return this.up ? undefined : (this.#problem ?? 'The MQTT broker has not answered yet.');
  }

  /** Settles with the first outcome of connecting, good or bad, or after so many ms. */
  settled(milliseconds: number): Promise<void> {
    return within(this.#settled.wait(), milliseconds, () => undefined);
  }

  /** True after a silence that no living connection has: the process was frozen, as functions are, and given up. */
  get frozen(): boolean {
    return this.up && (this.#paused || Date.now() - this.#heardAt > MAX_SILENCE_MS);
  }

  /** For how many ms nothing has come from the broker, over this connection or the one before it. */
  get silentForMs(): number {
    return performance.now() - this.#lastPacketAt;
  }

  /** Asks the broker for a sign of life. */
  ping(): void {
    if (this.up) this.#client?.sendPing();
  }

  /** Gives the connection up and makes a new one. */
  renew(): void {
    this.#client?.stream.destroy();
    this.#lose(this.#client, undefined);
    clearTimeout(this.#retry);
    this.#problem = undefined;
    this.#settled = new Latch();
    this.#open();
  }

  /**
   * Hands a message to the connection at once. @throws Error when there is none, or it is too long; then nothing was
   * sent.
   */
  publish(topic: string, payload: string, outgoing: Outgoing): void {
    const client = this.#client;
    if (!this.up || !client?.connected || client.disconnecting) throw new Error('there is no connection to the broker');
    if (payload.length * 3 > this.#mostBytes && Buffer.byteLength(payload) + OVERHEAD > this.#mostBytes) {
      throw new Error('the broker carries no message of this length');
    }
    // Without a callback: with one, the library keeps a listener for each message that a slow broker has not taken yet.
    client.publish(topic, payload, publishOptionsOf(outgoing));
  }

  /** @param options `retained`: what the broker keeps under the topic is sent, too. */
  async subscribe(topic: string | string[], { qos, retained = true }: Subscription): Promise<void> {
    if (this.up) await this.#client?.subscribeAsync(topic, { qos, rh: retained ? 0 : 2 });
  }

  /**
   * What the broker keeps under a topic; undefined when that is nothing, may not be read, or takes longer than so many
   * ms.
   */
  async readRetained(topic: string, timeoutMs: number): Promise<Message | undefined> {
    return this.up && this.#client ? readRetained(this.#client, topic, timeoutMs) : undefined;
  }

  unsubscribe(topic: string): void {
    if (this.up) this.#client?.unsubscribe(topic, () => undefined);
  }

  /** Says goodbye: the broker drops the will. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    const client = this.#client;
    this.#lose(client, undefined);
    if (client?.connected) await client.endAsync().catch(() => undefined);
  }

  #open(): void {
    const { address, clientId, onMessage, refusals, setting } = this.#options;
    const will = this.#options.will?.();
    const { username, password } = address;
    let failure: Error | undefined;
    const noteSize = () => refusals?.note('packets', 'The MQTT broker began a packet that is too large', { setting });
    const client = new mqttClient.default(() => guardPackets(openStream(address), LARGEST_PACKET, noteSize), {
      protocolVersion: 5,
      clientId,
      clean: true,
      properties: { sessionExpiryInterval: 0, maximumPacketSize: LARGEST_PACKET },
      keepalive: KEEP_ALIVE_SECONDS,
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectPeriod: 0,
      resubscribe: false,
      queueQoSZero: false,
      timerVariant: 'native',
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(will === undefined ? {} : { will: { ...will, payload: Buffer.from(will.payload), qos: 1, retain: true } }),
    });
    this.#client = client;
    this.pings.follow(client);
    client.on('connect', ({ properties }) => {
      this.#mostBytes = properties?.maximumPacketSize ?? Number.POSITIVE_INFINITY;
      this.#subscribe(client);
    });
    client.on('packetreceive', () => {
      const now = Date.now();
      // What is read first after a pause may have been sent long before the broker hung up.
      this.#paused ||= this.up && now - this.#heardAt > MAX_SILENCE_MS;
      this.#heardAt = now;
      this.#lastPacketAt = performance.now();
    });
    client.on('message', (topic, payload, packet) => onMessage(messageOf(topic, payload, packet)));
    client.on('disconnect', ({ reasonCode }) => {
      failure = Object.assign(new Error('the broker ended the connection'), { code: reasonCode });
      this.#lose(client, failure);
    });
    client.on('error', (error) => {
      failure ??= error;
    });
    client.on('close', () => this.#lose(client, failure));
  }

  #subscribe(client: MqttClient): void {
    const topics: ISubscriptionMap = {};
    // Only presence is retained on purpose; a retained message on any other topic is not ours.
    for (const [topic, qos] of Object.entries(this.#options.topics())) topics[topic] = { qos, rh: qos === 1 ? 0 : 2 };
    client.subscribe(topics, (error) => {
      if (client !== this.#client) return;
      if (error) {
        this.#options.logger.error({ err: error, setting: this.#options.setting }, 'the MQTT broker refused a topic');
        client.stream.destroy();
        return;
      }
      if (Object.keys(this.#options.topics()).some((topic) => !(topic in topics))) return this.#subscribe(client);
      this.#upSince = performance.now();
      this.#paused = false;
      this.#problem = undefined;
      this.#options.logger.info({ setting: this.#options.setting }, 'connected to the MQTT broker');
      this.#options.onUp?.();
      this.#settled.open();
    });
  }

  #lose(client: MqttClient | undefined, failure: Error | undefined): void {
    if (client === undefined || client !== this.#client) return;
    this.#client = undefined;
    client.removeAllListeners().on('error', () => undefined);
    const wasUp = this.up;
    if (this.#upSince !== undefined && performance.now() - this.#upSince >= STEADY_MS) this.#backoff.reset();
    this.#upSince = undefined;
    const { code, sentence } = describeFailure(failure, this.#options.setting);
    const isNews = wasUp || sentence !== this.#problem;
    if (isNews && !this.#closed) this.#options.logger.warn({ code, setting: this.#options.setting }, sentence);
    this.#problem = sentence;
    if (wasUp) this.#options.onDown?.(code);
    this.#settled.open();
    if (this.#closed) return;
    client.end(true);
    const delayMs = this.#backoff.failWithJitter();
    this.#retry = setTimeout(() => this.#open(), code === TAKEN_OVER ? TAKEN_OVER_RETRY_MS : delayMs);
  }
}
