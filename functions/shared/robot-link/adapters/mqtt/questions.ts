import { Calls } from '../../../kit/calls.ts';
import type { Metrics } from '../../../observability/metrics.port.ts';
import type { RobotAnswer, SendOptions } from '../../port.ts';
import type { Broker } from '../broker/broker.ts';
import type { Message } from '../broker/message.ts';
import { AnswerMessage, type CommandMessage, type Content, read, type StopMessage } from './messages.ts';
import { answerIn, failed, refused, unreadableAnswer, untimelyIn } from './outcome.ts';
import { topicsOf } from './topics.ts';
import { Unread } from './unread.ts';

/**
 * Maximum number of pending commands per robot, which keys share (shared-out.ts), and of bytes waiting to leave this
 * process. Stops are exempt from both, and from {@link Unread}.
 */
const MAX_CALLS = 2_000;
const MAX_BACKLOG_BYTES = 256 * 1024;
/** Longest time a command may take, in ms: that of a waiting command. */
const MAX_COMMAND_MS = 600_000;

interface Parts {
  readonly robotId: string;
  readonly broker: () => Broker;
  /** Topic on which this instance of the service receives answers. */
  readonly answers: string;
  readonly clock: () => number;
  readonly metrics: Pick<Metrics, 'clockRefusal'>;
  /** Called with the fence number in a response of the robot. */
  readonly onFence: (fence: number) => unknown;
}

/** Pending commands and stops of one robot. Each is published once, with QoS 0. */
export class Questions {
  readonly #parts: Parts;
  readonly #calls = new Calls<RobotAnswer>();
  readonly #unread = new Unread();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether another command may be sent. */
  hasRoom({ beginBy }: SendOptions): boolean {
    const { broker, clock } = this.#parts;
    if (this.#calls.size >= MAX_CALLS || broker().backlog > MAX_BACKLOG_BYTES) return false;
    return this.#unread.hasRoom(clock(), { waits: beginBy !== undefined });
  }

  /** Publishes the `content` and waits for the response. Throws what a RobotLink and `content` throw. */
  async ask(branch: 'commands' | 'stop', options: SendOptions, content: () => Content): Promise<RobotAnswer> {
    const { broker, answers, clock, robotId } = this.#parts;
    const now = clock();
    const deadline = Math.min(options.deadline, now + MAX_COMMAND_MS);
    const send = (id: string) => {
      const message: CommandMessage | StopMessage = { v: 1, id, issued_at: now, deadline, ...content() };
      const end = 'begin_by' in message && message.begin_by !== undefined ? message.begin_by : deadline;
      const properties = {
        correlation: Buffer.from(id),
        responseTopic: answers,
        expirySeconds: Math.max(1, Math.ceil((end - now) / 1000)),
      };
      try {
        broker().publish(topicsOf(robotId)[branch], JSON.stringify(message), properties);
        if (branch === 'commands') this.#unread.sent(id, end);
      } catch (error) {
        throw Object.assign(failed('robot_unavailable', 'The command could not be sent; send it again.', 'no'), {
          cause: error,
        });
      }
    };
    return this.#calls.ask(send, options.signal);
  }

  /** Handles a response; unexpected ones are dropped. */
  handleAnswer({ payload, correlation }: Message): void {
    const id = correlation?.toString('utf8') ?? '';
    this.#unread.answered(id);
    if (!this.#calls.has(id)) return;
    const answer = read(AnswerMessage, payload);
    if (answer?.fence !== undefined) this.#parts.onFence(answer.fence);
    if (!answer) this.#calls.fail(id, unreadableAnswer());
    else if (answer.ok) this.#calls.settle(id, answerIn(answer));
    else {
      const untimely = untimelyIn(answer.error);
      if (untimely) this.#parts.metrics.clockRefusal(untimely);
      this.#calls.fail(id, refused(answer.error));
    }
  }

  /** Fails everything that is pending. */
  abandon(why: string): void {
    this.#unread.clear();
    this.#calls.failAll(failed('robot_unavailable', why, 'maybe'));
  }
}
