import type { Fence } from '../../../control/fence.ts';
import type { ServiceError } from '../../../errors.ts';
import type { JointsChanged, ReportedState } from '../../../events/data.schema.ts';
import type { Events } from '../../../events/events.port.ts';
import { Latch } from '../../../kit/latch.ts';
import { within } from '../../../kit/within.ts';
import type { Metrics } from '../../../observability/metrics.port.ts';
import { StopReport } from '../../catalogue.schema.ts';
import type {
  CommandSpec,
  EmergencyStop,
  Jog,
  RobotAnswer,
  RobotCommand,
  RobotLink,
  Sender,
  SendOptions,
} from '../../port.ts';
import type { Broker } from '../broker/broker.ts';
import type { Message } from '../broker/message.ts';
import type { LinkWorld } from '../link-world.ts';
import { KnownRobot } from './known-robot.ts';
import { type Ran, senderOnWire } from './messages.ts';
import { failed, notStopped } from './outcome.ts';
import { Pace } from './pace.ts';
import { Questions } from './questions.ts';
import { RemoteJog } from './remote-jog.ts';
import { RobotReports } from './robot-reports.ts';

/** How long a stop waits for a robot without a known presence, in ms. */
const UNSEEN_STOP_MS = 2_000;

interface Parts extends LinkWorld {
  readonly robotId: string;
  readonly broker: () => Broker;
  /** Topic on which this instance of the service receives answers. */
  readonly answers: string;
  readonly metrics: Metrics;
  readonly fence: Fence;
  /** Where mission events are published. */
  readonly events: Events;
  /** Subscribes to the reports of the robot, or unsubscribes. */
  readonly listen: (listening: boolean) => void;
  readonly onClose: () => void;
}

/**
 * One robot behind an MQTT broker. Each command is published once, with QoS 0, and only while broker and robot are
 * connected. When either disconnects, pending calls fail at once, saying that the command may have run.
 */
export class RemoteRobot implements RobotLink {
  readonly kind = 'mqtt';
  readonly fence: Fence;
  /** The reports of the robot. */
  readonly reports: RobotReports;
  readonly #parts: Parts;
  readonly #questions: Questions;
  readonly #known: KnownRobot;
  readonly #jog: RemoteJog;
  readonly #pace = new Pace({
    burst: 5,
    perSecond: 1,
    take: (message) => this.#takePresence(message),
    onDelay: () =>
      this.#parts.refusals?.note('presence', 'Put off presence that changes too often', { robot: this.#parts.robotId }),
  });
  /** Opens with the first presence message since the connection was made. */
  #seen = new Latch();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.fence = parts.fence;
    this.#known = new KnownRobot(parts);
    this.reports = new RobotReports(parts);
    this.#jog = new RemoteJog({
      ...parts,
      reports: this.reports,
      offer: () => this.#known.jog,
      assertMovable: () => this.#requireMovable(),
      send: (...command) => this.send(...command),
    });
    this.#questions = new Questions({
      ...parts,
      onFence: (fence) => this.#known.lists('fence') && this.fence.follow(fence),
    });
  }

  jog(): Jog | undefined {
    return this.#known.jog && this.#jog;
  }

  connected(): boolean {
    return this.#parts.broker().up && this.#known.online;
  }

  /** See {@link KnownRobot.since}. */
  get since(): number | undefined {
    return this.#known.since;
  }

  catalogue(): ReadonlyMap<string, CommandSpec> {
    this.#requireReachable();
    return this.#known.catalogue;
  }

  problem(): string | undefined {
    return this.#known.problem();
  }

  notes(): readonly string[] {
    return [...this.#known.notes(), ...this.reports.faults];
  }

  state(): ReportedState | undefined {
    return this.connected() ? this.reports.state : undefined;
  }

  joints(): JointsChanged | undefined {
    return this.connected() ? this.reports.joints : undefined;
  }

  emergencyStop(): EmergencyStop | undefined {
    return this.#known.hasEmergencyStop ? this.reports.emergencyStop : undefined;
  }

  async send({ command, value, sender, arrivedAt }: RobotCommand, options: SendOptions): Promise<RobotAnswer> {
    if (!this.#questions.hasRoom(options)) {
      this.#parts.metrics.budgetExceeded('robot_calls');
      throw failed('robot_unavailable', 'Too many commands are pending for this robot. Wait for some responses.', 'no');
    }
    this.#requireReachable();
    if (this.#parts.clock() >= options.deadline) {
      throw failed('robot_timeout', 'The deadline of this command passed before it could begin.', 'no');
    }
    return this.#questions.ask('commands', options, () => {
      if (arrivedAt !== undefined) this.#requireMovable();
      this.fence.admit(arrivedAt);
      return {
        command,
        ...(value === undefined ? {} : { value }),
        sender: senderOnWire(sender),
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
      ...(sender === undefined ? {} : { sender: senderOnWire(sender) }),
      // The robot increments it and so arrives at the current number of this fence.
      ...this.#numbered(before),
    });
    const asked = this.#questions.ask('stop', options, content).catch((error: unknown) => {
      throw notStopped(error);
    });
    // Sent even if the robot seems to be offline: it may still receive it, and a stop does no harm.
    const report = StopReport.safeParse(await (this.#known.online ? asked : this.#unlessUnseen(asked)));
    if (report.success) return report.data;
    throw failed('robot_error', 'The robot did not confirm that it stands still.', 'maybe');
  }

  #unlessUnseen(asked: Promise<RobotAnswer>): Promise<RobotAnswer> {
    return within(asked, UNSEEN_STOP_MS, () => {
      throw this.#unseen('The stop was sent, but there was no response.', 'maybe');
    });
  }

  /** Handles a response of this robot; unexpected ones are dropped. */
  handleAnswer(message: Message): void {
    this.#questions.handleAnswer(message);
  }

  /** Robots repeat their presence as a sign of life; only a new one is rate-limited. */
  handlePresence(message: Message): void {
    if (this.#known.repeats(message)) this.#takePresence(message);
    else this.#pace.offer(message);
  }

  #takePresence(message: Message): void {
    const before = this.#known.session;
    if (this.#known.handle(message)) {
      this.#followFence();
      if (before !== undefined && before !== this.#known.session) {
        this.#questions.abandon(
          'The robot disconnected before it responded. It accepts commands again once it has reconnected.',
        );
        this.reports.forget();
      }
    }
    this.#seen.open();
  }

  /** Called when the connection to the broker is lost: forgets the robot's state and fails every call. */
  forget(): void {
    this.#pace.clear();
    this.#known.forget();
    if (this.#seen.isOpen) this.#seen = new Latch();
    this.fence.lose();
    this.reports.forget();
    this.#questions.abandon('The connection to the robot was lost before it responded. It is restored automatically.');
  }

  /** Resolves with the first presence message, or after this many ms. */
  whenSeen(milliseconds: number): Promise<void> {
    return within(this.#seen.wait(), milliseconds, () => undefined);
  }

  close(): void {
    this.reports.close();
    this.forget();
    this.#parts.onClose();
  }

  /** Robots without the feature reject messages with the unknown member. */
  #numbered(fence: number): { fence?: number } {
    return this.#known.lists('fence') ? { fence } : {};
  }

  #followFence(): void {
    if (!this.#known.online) this.fence.lose();
    else if (!this.#known.lists('fence')) this.fence.own();
    else if (this.#known.fence !== undefined) this.fence.follow(this.#known.fence);
  }

  #requireBroker(): void {
    const { problem } = this.#parts.broker();
    if (problem !== undefined) throw failed('robot_unavailable', problem, 'no');
  }

  #requireReachable(): void {
    this.#requireBroker();
    if (!this.#known.online) throw this.#unseen('', 'no');
  }

  #requireMovable(): void {
    this.#requireReachable();
    const driver = this.state()?.driver;
    if (driver === undefined) return;
    const detail = `The robot is driven by "${driver}", not through this service. End that first, then send the command again.`;
    throw failed('driven_elsewhere', detail, 'no');
  }

  #unseen(what: string, ran: Ran): ServiceError {
    return failed('robot_unavailable', `${this.#known.offlineReason()}${what && ` ${what}`}`, ran);
  }
}
