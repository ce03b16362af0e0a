import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { JsonValue } from '../../../functions/shared/kit/json.ts';
import { within } from '../../../functions/shared/kit/within.ts';
import { createLogger } from '../../../functions/shared/observability/logger.ts';
import { Broker } from '../../../functions/shared/robot-link/adapters/broker/broker.ts';
import type { BrokerAddress } from '../../../functions/shared/robot-link/adapters/broker/broker-address.ts';
import type { Message } from '../../../functions/shared/robot-link/adapters/broker/message.ts';
import { AnswerMessage, parse, read } from '../../../functions/shared/robot-link/adapters/mqtt/messages.ts';
import { type Presence, readPresence } from '../../../functions/shared/robot-link/adapters/mqtt/presence.ts';
import { topicsOf } from '../../../functions/shared/robot-link/adapters/mqtt/topics.ts';
import type { Velocity } from '../../../functions/shared/robot-link/port.ts';
import { Movement } from './movement.ts';

/** How long an answer may take before it counts as missing, in ms; what is known to take longer says so. */
export const ANSWER_MS = 10_000;
const CONNECT_MS = 10_000;

/** Members that override those of a message; anything, because messages are also sent wrong. */
export type Members = Readonly<Record<string, unknown>>;

/** The robot's answer, or what came in its place. */
export type Answer = AnswerMessage | { readonly ok: 'missing' } | { readonly ok: 'malformed'; readonly text: string };

/** Speaks to one robot as a service does, message by message, so that each member can be wrong. */
export class RobotCaller {
  readonly #broker: Broker;
  readonly #topics: ReturnType<typeof topicsOf>;
  readonly #answersTo: string;
  readonly #where: { readonly setting: string; readonly address: string };
  readonly #waiting = new Map<string, (answer: Answer) => void>();
  /** Ids of all answers, in the order in which they came. */
  readonly answered: string[] = [];
  readonly movement = new Movement();
  presence: Presence | undefined;
  presenceExpiry: number | undefined;
  #fence = 0;
  #seq = Date.now();

  /** @param setting where the address was given, for messages. */
  constructor(address: BrokerAddress, robotId: string, setting: string) {
    this.#where = { setting, address: `${address.host}:${address.port}` };
    const instance = `check-${randomBytes(9).toString('base64url')}`;
    this.#topics = topicsOf(robotId);
    this.#answersTo = this.#topics.answersTo(instance);
    this.#broker = new Broker({
      address,
      clientId: instance,
      setting,
      logger: createLogger('silent'),
      topics: () => ({ [this.#answersTo]: 0, [this.#topics.presence]: 1 }),
      onMessage: (message) => this.#handle(message),
      onUp: () => void this.#listen(),
    });
  }

  /** Why the broker cannot be used; undefined once it can be. */
  async connected(): Promise<string | undefined> {
    await this.#broker.settled(CONNECT_MS);
    const { problem } = this.#broker;
    if (problem === undefined || problem.includes(this.#where.setting)) return problem;
    return `The MQTT broker at ${this.#where.address} cannot be reached.`;
  }

  /** The highest fence number seen. */
  get fence(): number {
    return this.#fence;
  }

  get session(): string | undefined {
    const message = this.presence?.message;
    return message?.online ? message.session : undefined;
  }

  /** Calls a command as a service does; `more` overrides members of the message. */
  ask(command: string, value?: JsonValue, more: Members = {}, timeoutMs = ANSWER_MS): Promise<Answer> {
    const sender = { client_id: 'link-check', access_level: 'ADMIN', key_id: 'link-check' };
    const known = { command, ...(value === undefined ? {} : { value }), fence: this.#fence, sender };
    return this.say('commands', { ...known, ...more }, timeoutMs);
  }

  stop(more: Members = {}): Promise<Answer> {
    return this.say('stop', { fence: this.#fence, ...more });
  }

  async say(branch: 'commands' | 'stop', members: Members, timeoutMs = ANSWER_MS): Promise<Answer> {
    const now = Date.now();
    const id = randomBytes(16).toString('base64url');
    const message: Members = { v: 1, id, issued_at: now, deadline: now + 60_000, ...members };
    const sent = String(message.id);
    this.#waiting.get(sent)?.({ ok: 'missing' }); // of an earlier message with this id
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(sent, resolve));
    this.raw(branch, JSON.stringify(message), sent);
    return within(answer, timeoutMs, () => ({ ok: 'missing' }));
  }

  /** Publishes these very bytes. Without an id there is no address for an answer. */
  raw(branch: 'commands' | 'stop' | 'jog', text: string, id?: string): void {
    const address = id === undefined ? {} : { correlation: Buffer.from(id), responseTopic: this.#answersTo };
    this.#broker.publish(this.#topics[branch], text, { expirySeconds: 60, ...address });
  }

  /** A frame of driving by hand. */
  jog(velocity: Velocity, more: Members = {}): void {
    this.#seq += 1;
    const frame = { v: 1, fence: this.#fence, seq: this.#seq, ...velocity, valid_ms: 300, ...more };
    this.raw('jog', JSON.stringify(frame));
  }

  /** Ends the connection; what is still waited for is missing. */
  close(): Promise<void> {
    for (const resolve of this.#waiting.values()) resolve({ ok: 'missing' });
    return this.#broker.close();
  }

  /** Apart from the other topics: a robot need not report, and older access rules may refuse these. */
  async #listen(): Promise<void> {
    const topics = [this.#topics.state, this.#topics.joints];
    await this.#broker.subscribe(topics, { qos: 0, retained: false }).catch(() => undefined);
  }

  #handle(message: Message): void {
    const { topic, payload, correlation } = message;
    if (topic === this.#topics.presence) this.#takePresence(message);
    else if (topic === this.#topics.state || topic === this.#topics.joints) {
      const branch = topic === this.#topics.state ? 'state' : 'joints';
      const report = parse(payload) as JsonValue | undefined; // as: parsed JSON
      if (report !== undefined) this.movement.take(branch, report, performance.now());
    } else if (topic === this.#answersTo) {
      const id = correlation?.toString('utf8') ?? '';
      const answer = read(AnswerMessage, payload);
      this.answered.push(id);
      if (answer?.fence !== undefined) this.#fence = Math.max(this.#fence, answer.fence);
      this.#waiting.get(id)?.(answer ?? { ok: 'malformed', text: payload.toString('utf8').slice(0, 200) });
      this.#waiting.delete(id);
    }
  }

  #takePresence({ payload, expirySeconds }: Message): void {
    this.presence = readPresence(payload);
    this.presenceExpiry = expirySeconds;
    const message = this.presence?.message;
    if (message?.online) this.#fence = Math.max(this.#fence, message.fence ?? 0);
  }
}
