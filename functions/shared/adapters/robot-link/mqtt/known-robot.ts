import type { Logger } from '../../../logger.ts';
import type { Message } from '../../mqtt/message.ts';
import type { CommandSpec } from '../port.ts';
import { LONGEST_TEXT, type Presence, readPresence } from './presence.ts';
import { SessionChanges } from './session-changes.ts';

/** Most faults of a catalogue that are told at once. */
const MOST_FAULTS = 10;
const NO_COMMANDS: ReadonlyMap<string, CommandSpec> = new Map();

interface Parts {
  readonly robotId: string;
  readonly clock: () => number;
  readonly logger: Logger;
}

/** What the broker has told of one robot by its presence messages. */
export class KnownRobot {
  readonly #parts: Parts;
  readonly #sessions: SessionChanges;
  #presence: Presence | undefined;
  #text: Buffer | undefined;
  #until = Number.POSITIVE_INFINITY;
  #lastSession: string | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#sessions = new SessionChanges(parts.clock);
  }

  /** Whether a presence message says what is known already. */
  repeats({ payload }: Message): boolean {
    return this.#text?.equals(payload) === true;
  }

  /** Takes a presence message in. True when it says something new. */
  hear(message: Message): boolean {
    const { payload, expirySeconds } = message;
    this.#until = expirySeconds === undefined ? Number.POSITIVE_INFINITY : this.#parts.clock() + expirySeconds * 1000;
    if (this.repeats(message)) return false;
    this.#text = payload;
    this.#presence = readPresence(payload);
    this.#reportFaults();
    this.#noteSession();
    return true;
  }

  /** Nothing is known any more. */
  forget(): void {
    this.#presence = undefined;
    this.#text = undefined;
  }

  /** True when there has been a presence message since the connection stands. */
  get seen(): boolean {
    return this.#presence !== undefined;
  }

  get online(): boolean {
    return this.#presence?.message.online === true && this.#parts.clock() < this.#until;
  }

  get session(): string | undefined {
    return this.#said?.session;
  }

  get catalogue(): ReadonlyMap<string, CommandSpec> {
    return this.#presence?.catalogue ?? NO_COMMANDS;
  }

  /** The number of its fence, when it keeps one. */
  get fence(): number | undefined {
    return this.lists('fence') ? this.#said?.fence : undefined;
  }

  lists(feature: string): boolean {
    return this.#said?.features?.includes(feature) === true;
  }

  /** Why it says that it is away, where it does. */
  get reason(): string | undefined {
    const { message } = this.#presence ?? {};
    return message?.online === false ? message.reason?.slice(0, LONGEST_TEXT) : undefined;
  }

  /** Why it must not be used though it is there. */
  problem(): string | undefined {
    if (!this.#sessions.twins) return undefined;
    return `Two programs say that they are the robot "${this.#parts.robotId}" and throw each other out of the broker. Stop one of them, or give it an id of its own.`;
  }

  /** What whoever looks after it should know. */
  notes(): readonly string[] {
    if (!this.#said || !this.#presence) return [];
    const notes = this.#presence.faults
      .slice(0, MOST_FAULTS)
      .map(
        ({ pointer, message }) =>
          `A command is left out since its catalogue entry does not fit: ${pointer}: ${message}`,
      );
    if (this.#said.link_loss_ms === undefined) {
      notes.push('The robot does not promise to stop by itself when it loses its link (link_loss_ms).');
    }
    return notes;
  }

  get #said() {
    return this.#presence?.message.online ? this.#presence.message : undefined;
  }

  #reportFaults(): void {
    const { faults = [] } = this.#presence ?? {};
    if (faults.length === 0) return;
    const { robotId, logger } = this.#parts;
    logger.warn({ robot: robotId, faults: faults.slice(0, MOST_FAULTS) }, 'left out catalogue entries that do not fit');
  }

  #noteSession(): void {
    const { session } = this;
    if (session === undefined || session === this.#lastSession) return;
    const first = this.#lastSession === undefined;
    this.#lastSession = session;
    if (!first && this.#sessions.changed()) {
      this.#parts.logger.error({ robot: this.#parts.robotId }, 'two programs take turns as this robot at the broker');
    }
  }
}
