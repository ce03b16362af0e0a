import type { Fence } from '../../../control/fence.ts';
import type { ServiceError } from '../../../errors.ts';
import type { Logger } from '../../../logger.ts';
import type { Broker } from '../../mqtt/broker.ts';
import type { Message } from '../../mqtt/message.ts';
import type { CommandSpec, RobotAnswer, RobotCommand, RobotLink, Sender, SendOptions, StopReport } from '../port.ts';
import { Calls } from './calls.ts';
import { KnownRobot } from './known-robot.ts';
import { AnswerMessage, type CommandMessage, type Ran, read, StopAnswer, type StopMessage } from './messages.ts';
import { answerIn, failed, refused } from './outcome.ts';
import { PresencePace } from './presence-pace.ts';
import { topicsOf } from './topics.ts';

/** Most commands that wait for one robot, and most bytes that wait to leave this process; stop minds neither. */
const MOST_CALLS = 1_000;
const MOST_BACKLOG_BYTES = 256 * 1024;
/** Longest time a command may take, in ms: what a waiting command may. */
const LONGEST_MS = 600_000;
/** How long a stop waits for a robot of which the broker knows no presence, in ms. */
const UNSEEN_STOP_MS = 2_000;

interface Parts {
  readonly robotId: string;
  readonly broker: () => Broker;
  /** Where this instance of the service hears answers. */
  readonly answers: string;
  readonly clock: () => number;
  readonly logger: Logger;
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
  readonly #known: KnownRobot;
  readonly #pace = new PresencePace((message) => this.#takePresence(message));
  #seen: Array<() => void> = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.fence = parts.fence;
    this.#topics = topicsOf(parts.robotId);
    this.#known = new KnownRobot(parts);
  }

  connected(): boolean {
    return this.#parts.broker().up && this.#known.online;
  }

  catalogue(): ReadonlyMap<string, CommandSpec> {
    this.#requireReachable();
    return this.#known.catalogue;
  }

  problem(): string | undefined {
    return this.#known.problem();
  }

  notes(): readonly string[] {
    return this.#known.notes();
  }

  async send({ command, value, sender, arrivedAt }: RobotCommand, options: SendOptions): Promise<RobotAnswer> {
    if (this.#calls.size >= MOST_CALLS || this.#parts.broker().backlog > MOST_BACKLOG_BYTES) {
      throw failed('robot_unavailable', 'Too many commands wait for this robot.', 'no');
    }
    this.#requireReachable();
    if (this.#parts.clock() >= options.deadline) {
      throw failed('robot_timeout', 'The time for this command was over before it could begin.', 'no');
    }
    return this.#ask(this.#topics.commands, options, () => {
      this.fence.admit(arrivedAt);
      return {
        command,
        ...(value === undefined ? {} : { value }),
        sender: onTheWire(sender),
        ...this.#numbered(this.fence.read()),
        ...(options.beginBy !== undefined && this.#known.lists('begin_by') ? { begin_by: options.beginBy } : {}),
      };
    });
  }

  async stop(options: SendOptions, sender?: Sender): Promise<StopReport> {
    const before = this.fence.read();
    this.fence.raise();
    this.#requireBroker();
    const content = () => ({
      ...(sender === undefined ? {} : { sender: onTheWire(sender) }),
      // The robot goes one above it, and so to where this fence stands already.
      ...this.#numbered(before),
    });
    const asked = this.#ask(this.#topics.stop, options, content);
    // Whatever the broker knows of the robot: it may be there all the same, and a stop is never wrong.
    const report = StopAnswer.safeParse(await (this.#known.online ? asked : this.#unlessUnseen(asked)));
    if (report.success) return report.data;
    throw failed('robot_error', 'The robot did not confirm that it stands still.', 'maybe');
  }

  async #unlessUnseen(asked: Promise<RobotAnswer>): Promise<RobotAnswer> {
    let timer: NodeJS.Timeout | undefined;
    const unseen = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(this.#unseen('The stop was sent, and nothing answered.', 'maybe')),
        UNSEEN_STOP_MS,
      );
    });
    try {
      return await Promise.race([asked, unseen]);
    } finally {
      clearTimeout(timer);
      asked.catch(() => undefined); // it ends with its own deadline
    }
  }

  async #ask(topic: string, options: SendOptions, content: () => Content): Promise<RobotAnswer> {
    const { broker, answers, clock } = this.#parts;
    const now = clock();
    const deadline = Math.min(options.deadline, now + LONGEST_MS);
    return this.#calls.begin(options.signal, (id) => {
      const message: CommandMessage | StopMessage = { v: 1, id, issued_at: now, deadline, ...content() };
      const end = 'begin_by' in message && message.begin_by !== undefined ? message.begin_by : deadline;
      const properties = {
        correlation: Buffer.from(id),
        responseTopic: answers,
        expirySeconds: Math.max(1, Math.ceil((end - now) / 1000)),
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
    if (answer?.fence !== undefined && this.#known.lists('fence')) this.fence.follow(answer.fence);
    if (!answer) call.fail(failed('robot_error', 'The robot answered with what is no answer.', 'maybe'));
    else if (answer.ok) call.settle(answerIn(answer));
    else call.fail(refused(answer.error));
  }

  /** A robot repeats itself to show that it lives; only what is new costs something. */
  hearPresence(message: Message): void {
    if (this.#known.repeats(message)) this.#takePresence(message);
    else this.#pace.offer(message);
  }

  #takePresence(message: Message): void {
    const before = this.#known.session;
    if (this.#known.hear(message)) {
      this.#followFence();
      if (before !== undefined && before !== this.#known.session)
        this.#abandon('The robot went away before it answered.');
    }
    for (const wake of this.#seen.splice(0)) wake();
  }

  /** The connection to the broker is gone, and with it all that was known and asked. */
  forget(): void {
    this.#pace.clear();
    this.#known.forget();
    this.fence.lose();
    this.#abandon('The connection to the robot broke before it answered.');
  }

  /** Settles when something is known about the robot, or after so many ms. */
  whenSeen(milliseconds: number): Promise<void> {
    if (this.#known.seen) return Promise.resolve();
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
    return this.#known.lists('fence') ? { fence } : {};
  }

  #followFence(): void {
    if (!this.#known.online) this.fence.lose();
    else if (!this.#known.lists('fence')) this.fence.own();
    else if (this.#known.fence !== undefined) this.fence.follow(this.#known.fence);
  }

  #abandon(why: string): void {
    this.#calls.failAll(failed('robot_unavailable', why, 'maybe'));
  }

  #requireBroker(): void {
    const { problem } = this.#parts.broker();
    if (problem !== undefined) throw failed('robot_unavailable', problem, 'no');
  }

  #requireReachable(): void {
    this.#requireBroker();
    if (!this.#known.online) throw this.#unseen('', 'no');
  }

  #unseen(what: string, ran: Ran): ServiceError {
    const reason = this.#known.reason ? ` It said: ${this.#known.reason}` : '';
    return failed(
      'robot_unavailable',
      `The robot "${this.#parts.robotId}" is not connected to the MQTT broker.${reason}${what && ` ${what}`}`,
      ran,
    );
  }
}

type Content =
  | Pick<CommandMessage, 'command' | 'value' | 'sender' | 'fence' | 'begin_by'>
  | Pick<StopMessage, 'sender' | 'fence'>;

function onTheWire({ clientId, accessLevel, keyId }: Sender) {
  return { client_id: clientId, access_level: accessLevel, key_id: keyId };
}
