import type { Fence } from '../../../control/fence.ts';
import type { JsonValue } from '../../../json.ts';
import type { Broker } from '../../mqtt/broker.ts';
import type { Message } from '../../mqtt/message.ts';
import type { CommandSpec, RobotCommand, RobotLink, Sender, SendOptions, StopReport } from '../port.ts';
import { Calls } from './calls.ts';
import { AnswerMessage, type CommandMessage, PresenceMessage, read, StopAnswer, type StopMessage } from './messages.ts';
import { failed } from './outcome.ts';
import { topicsOf } from './topics.ts';

/** Most commands that wait for one robot, and most bytes that wait to leave this process; stop minds neither. */
const MOST_CALLS = 1_000;
const MOST_BACKLOG_BYTES = 256 * 1024;
/** Longest time a command may take, in ms: what a waiting command may. */
const LONGEST_MS = 600_000;

const NO_COMMANDS: ReadonlyMap<string, CommandSpec> = new Map();

interface Parts {
  readonly robotId: string;
  readonly broker: () => Broker;
  /** Where this instance of the service hears answers. */
  readonly answers: string;
  readonly clock: () => number;
  readonly fence: Fence;
  readonly onClose: () => void;
}

/**
 * One robot behind an MQTT broker. Each question is published once, with QoS 0, and only while both the broker and the
 * robot are there; who waits when one of them goes away is told at once that the command may have run.
 */
export class RemoteRobot implements RobotLink {
  readonly kind = 'mqtt';
  readonly fence: Fence;
  readonly #parts: Parts;
  readonly #topics: ReturnType<typeof topicsOf>;
  readonly #calls = new Calls();
  #known: PresenceMessage | undefined;
  #knownText: Buffer | undefined;
  #knownUntil = Number.POSITIVE_INFINITY;
  #catalogue: ReadonlyMap<string, CommandSpec> = NO_COMMANDS;
  #seen: Array<() => void> = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.fence = parts.fence;
    this.#topics = topicsOf(parts.robotId);
  }

  connected(): boolean {
    return this.#parts.broker().up && this.#online();
  }

  catalogue(): ReadonlyMap<string, CommandSpec> {
    this.#requireReachable();
    return this.#catalogue;
  }

  send({ command, value, sender, arrivedAt }: RobotCommand, options: SendOptions): Promise<JsonValue> {
    if (this.#calls.size >= MOST_CALLS || this.#parts.broker().backlog > MOST_BACKLOG_BYTES) {
      return Promise.reject(failed('robot_unavailable', 'Too many commands wait for this robot.', 'no'));
    }
    return this.#ask(this.#topics.commands, options, () => {
      this.fence.admit(arrivedAt);
      return {
        command,
        ...(value === undefined ? {} : { value }),
        sender: onTheWire(sender),
        ...this.#numbered(this.fence.read()),
      };
    });
  }

  async stop(options: SendOptions, sender?: Sender): Promise<StopReport> {
    const before = this.fence.read();
    this.fence.raise();
    const content = () => ({
      ...(sender === undefined ? {} : { sender: onTheWire(sender) }),
      // The robot goes one above it, and so to where this fence stands already.
      ...this.#numbered(before),
    });
    const report = StopAnswer.safeParse(await this.#ask(this.#topics.stop, options, content));
    if (report.success) return report.data;
    throw failed('robot_error', 'The robot did not confirm that it stands still.', 'maybe');
  }

  async #ask(topic: string, options: SendOptions, content: () => Content): Promise<JsonValue> {
    this.#requireReachable();
    const { broker, answers, clock } = this.#parts;
    const now = clock();
    const deadline = Math.min(options.deadline, now + LONGEST_MS);
    if (now >= deadline)
      throw failed('robot_timeout', 'The time for this command was over before it could begin.', 'no');
    return this.#calls.begin(options.signal, (id) => {
      const message: CommandMessage | StopMessage = { v: 1, id, issued_at: now, deadline, ...content() };
      const properties = {
        correlation: Buffer.from(id),
        responseTopic: answers,
        expirySeconds: Math.max(1, Math.ceil((deadline - now) / 1000)),
      };
      try {
        broker().publish(topic, JSON.stringify(message), properties);
      } catch (error) {
        throw Object.assign(failed('robot_unavailable', 'The command could not be sent.', 'no'), { cause: error });
      }
    });
  }

  /** An answer of this robot; one that nobody waits for any more is dropped. */
  hearAnswer({ payload, correlation }: Message): void {
    const call = correlation && this.#calls.find(correlation.toString('utf8'));
    if (!call) return;
    const answer = read(AnswerMessage, payload);
    if (answer?.fence !== undefined && this.#ownsFence) this.fence.follow(answer.fence);
    if (!answer) call.fail(failed('robot_error', 'The robot answered with what is no answer.', 'maybe'));
    else if (answer.ok) call.settle(answer.result);
    else call.fail(failed(answer.error.code, answer.error.detail.slice(0, 500), answer.error.ran));
  }

  hearPresence({ payload, expirySeconds }: Message): void {
    this.#knownUntil =
      expirySeconds === undefined ? Number.POSITIVE_INFINITY : this.#parts.clock() + expirySeconds * 1000;
    // A robot repeats itself to show that it lives; only what is new is read.
    if (!this.#knownText?.equals(payload)) {
      const before = this.#known;
      this.#knownText = payload;
      this.#known = read(PresenceMessage, payload);
      const { catalogue = [], session = undefined } = this.#known?.online ? this.#known : {};
      this.#catalogue = new Map(catalogue.map((spec) => [spec.name, spec]));
      this.#followFence(this.#known);
      if (before?.online && before.session !== session) this.#abandon('The robot went away before it answered.');
    }
    for (const wake of this.#seen.splice(0)) wake();
  }

  /** The connection to the broker is gone, and with it all that was known and asked. */
  forget(): void {
    this.#known = undefined;
    this.#knownText = undefined;
    this.fence.lose();
    this.#abandon('The connection to the robot broke before it answered.');
  }

  /** Settles when something is known about the robot, or after so many ms. */
  whenSeen(milliseconds: number): Promise<void> {
    if (this.#known) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#seen.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  close(): void {
    this.forget();
    this.#parts.onClose();
  }

  /** Robots that do not keep the number refuse a message with a member that they do not know. */
  #numbered(fence: number): { fence?: number } {
    return this.#ownsFence ? { fence } : {};
  }

  get #ownsFence(): boolean {
    return this.#known?.online === true && this.#known.features?.includes('fence') === true;
  }

  #followFence(presence: PresenceMessage | undefined): void {
    if (!presence?.online) this.fence.lose();
    else if (!this.#ownsFence) this.fence.own();
    else if (presence.fence !== undefined) this.fence.follow(presence.fence);
  }

  #abandon(why: string): void {
    this.#calls.failAll(failed('robot_unavailable', why, 'maybe'));
  }

  #online(): boolean {
    return this.#known?.online === true && this.#parts.clock() < this.#knownUntil;
  }

  #requireReachable(): void {
    const { problem } = this.#parts.broker();
    if (problem !== undefined) throw failed('robot_unavailable', problem, 'no');
    if (this.#online()) return;
    const reason = this.#known?.online === false && this.#known.reason ? ` It said: ${this.#known.reason}` : '';
    throw failed(
      'robot_unavailable',
      `The robot "${this.#parts.robotId}" is not connected to the MQTT broker.${reason}`,
      'no',
    );
  }
}

type Content = Pick<CommandMessage, 'command' | 'value' | 'sender' | 'fence'> | Pick<StopMessage, 'sender' | 'fence'>;

function onTheWire({ clientId, accessLevel, keyId }: Sender) {
  return { client_id: clientId, access_level: accessLevel, key_id: keyId };
}
