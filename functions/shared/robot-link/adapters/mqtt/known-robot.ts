import type { RobotMetrics } from '../../../observability/metrics.port.ts';
import type { CommandSpec } from '../../port.ts';
import type { Message } from '../broker/message.ts';
import type { LinkWorld } from '../link-world.ts';
import type { JogOffer } from './messages.ts';
import { MAX_BYTES, MAX_TEXT_LENGTH, type Presence, readPresence } from './presence.ts';
import { SessionChanges } from './session-changes.ts';

/** Maximum number of catalogue problems to report at once. */
const MAX_FAULTS = 10;
/** Longest time in ms for which a robot may keep driving after the last velocity. */
const MAX_WATCHDOG_MS = 500;
const NO_COMMANDS: ReadonlyMap<string, CommandSpec> = new Map();

interface Parts extends Omit<LinkWorld, 'metrics'> {
  readonly robotId: string;
  readonly metrics: Pick<RobotMetrics, 'presenceFaults' | 'robotIdConflict'>;
}

/** What is known of one robot from its presence messages. */
export class KnownRobot {
  readonly #parts: Parts;
  readonly #sessions: SessionChanges;
  #presence: Presence | undefined;
  #text: Buffer | undefined;
  #until = Number.POSITIVE_INFINITY;
  #lastSession: string | undefined;
  #changedAt: number | undefined;
  #hasEmergencyStop = false;
  #jog: JogOffer | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#sessions = new SessionChanges(parts.clock);
  }

  /** Whether a presence message is the same as the last one. */
  repeats({ payload }: Message): boolean {
    return this.#text?.equals(payload) === true;
  }

  /** Reads a presence message. Returns whether it differs from the last one. */
  handle(message: Message): boolean {
    const { payload, expirySeconds } = message;
    this.#until = expirySeconds === undefined ? Number.POSITIVE_INFINITY : this.#parts.clock() + expirySeconds * 1000;
    if (this.repeats(message)) return false;
    this.#text = payload;
    const wasOnline = this.#presence?.message.online;
    this.#presence = readPresence(payload);
    if (this.#presence?.message.online !== wasOnline) this.#changedAt = this.#parts.clock();
    if (payload.length > MAX_BYTES) this.#noteSize(payload.length);
    else if (!this.#presence && payload.length > 0) this.#reportUnreadable();
    this.#noteAbilities();
    this.#reportFaults();
    this.#noteSession();
    return true;
  }

  /** Forgets everything. */
  forget(): void {
    this.#presence = undefined;
    this.#text = undefined;
    this.#changedAt = undefined;
  }

  get online(): boolean {
    return this.#presence?.message.online === true && this.#parts.clock() < this.#until;
  }

  /** Since when it has been online or offline, in ms since the epoch; undefined if unknown. */
  get since(): number | undefined {
    return this.#presence?.message.online && !this.online ? this.#until : this.#changedAt;
  }

  get session(): string | undefined {
    return this.#onlineMessage?.session;
  }

  get catalogue(): ReadonlyMap<string, CommandSpec> {
    return this.#presence?.catalogue ?? NO_COMMANDS;
  }

  /** The number of its fence, if it has one. */
  get fence(): number | undefined {
    return this.lists('fence') ? this.#onlineMessage?.fence : undefined;
  }

  /** Whether it reports the state of its emergency stop, according to its last presence. */
  get hasEmergencyStop(): boolean {
    return this.#hasEmergencyStop;
  }

  /** Its jog parameters according to its last presence; undefined if it has no jog or its watchdog is too slow. */
  get jog(): JogOffer | undefined {
    return this.#jog && this.#jog.watchdog_ms <= MAX_WATCHDOG_MS ? this.#jog : undefined;
  }

  lists(feature: string): boolean {
    return this.#onlineMessage?.features?.includes(feature) === true;
  }

  /** Why the robot is offline, in full sentences. */
  offlineReason(): string {
    const name = `The robot "${this.#parts.robotId}"`;
    if (this.#text?.length && !this.#presence) {
      return `${name} is not usable: its presence message is longer than 64 KiB or does not match docs/mqtt.schema.json. The program of the robot must be fixed.`;
    }
    const { message } = this.#presence ?? {};
    const reason = message?.online === false && message.reason ? message.reason.slice(0, MAX_TEXT_LENGTH) : undefined;
    return `${name} is not connected to the MQTT broker. Switch it on, or check its network; it takes commands as soon as it is connected.${reason ? ` It said: ${reason}` : ''}`;
  }

  /** Why it must not be used although it is online. */
  problem(): string | undefined {
    if (!this.#sessions.hasConflict) return undefined;
    return `Two programs use the robot id "${this.#parts.robotId}" and keep disconnecting each other from the broker. Stop one of them, or give it a different id.`;
  }

  /** Notes for its operator. */
  notes(): readonly string[] {
    if (!this.#onlineMessage || !this.#presence) return [];
    const notes = this.#presence.faults
      .slice(0, MAX_FAULTS)
      .map(
        ({ pointer, message }) => `A command is ignored because its catalogue entry is invalid: ${pointer}: ${message}`,
      );
    if (this.#onlineMessage.link_loss_ms === undefined) {
      notes.push('The robot does not guarantee to stop by itself when it loses its link (link_loss_ms).');
    }
    if (this.#jog && this.#jog.watchdog_ms > MAX_WATCHDOG_MS) {
      notes.push(
        `The robot cannot be driven manually: its watchdog takes ${this.#jog.watchdog_ms} ms, more than the allowed ${MAX_WATCHDOG_MS} ms.`,
      );
    }
    return notes;
  }

  get #onlineMessage() {
    return this.#presence?.message.online ? this.#presence.message : undefined;
  }

  /** They stay known while it is offline. */
  #noteAbilities(): void {
    const message = this.#onlineMessage;
    if (!message) return;
    this.#hasEmergencyStop = this.lists('estop');
    this.#jog = message.jog;
  }

  #noteSize(bytes: number): void {
    const { refusals, robotId, metrics } = this.#parts;
    metrics.presenceFaults('message', 1);
    refusals?.note('presence', 'Refused a presence message that is too large', { robot: robotId, bytes });
  }

  #reportUnreadable(): void {
    const { robotId, logger, metrics } = this.#parts;
    metrics.presenceFaults('message', 1);
    logger.warn({ robot: robotId }, 'rejected a presence message that does not match docs/mqtt.schema.json');
  }

  #reportFaults(): void {
    const { faults = [] } = this.#presence ?? {};
    if (faults.length === 0) return;
    const { robotId, logger, metrics } = this.#parts;
    metrics.presenceFaults('entry', faults.length);
    logger.warn({ robot: robotId, faults: faults.slice(0, MAX_FAULTS) }, 'ignored invalid catalogue entries');
  }

  #noteSession(): void {
    const { session } = this;
    if (session === undefined || session === this.#lastSession) return;
    const first = this.#lastSession === undefined;
    this.#lastSession = session;
    if (!first && this.#sessions.changed()) {
      this.#parts.metrics.robotIdConflict('service');
      this.#parts.logger.error({ robot: this.#parts.robotId }, 'two programs take turns as this robot at the broker');
    }
  }
}
