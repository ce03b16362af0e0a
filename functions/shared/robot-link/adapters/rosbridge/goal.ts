import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../../../kit/json.ts';
import { Latch } from '../../../kit/latch.ts';
import { NOT_FOUND, type Tracked } from '../mission-book.ts';

/** How a goal ended. */
export interface Ending {
  readonly how: 'succeeded' | 'cancelled' | 'failed';
  readonly result: JsonValue;
  /** What the robot says about it, in words. */
  readonly message: string;
  /**
   * The robot has not said so: it no longer speaks of one that is `gone`; one that is `lost` may still be under way.
   */
  readonly assumed?: 'gone' | 'lost';
  /** The server of the bridge refused it; it has reached no action server. */
  readonly isRefused?: true;
}

/** What is to be carried out, and by which command. */
export interface GoalOrder {
  readonly action: string;
  readonly command: string;
  readonly isDrive?: boolean;
  readonly isMotion?: boolean;
}

/** One goal of one action, from its sending until the robot says how it ended. */
export class Goal implements Tracked {
  readonly id = randomUUID();
  readonly clientId: string;
  readonly action: string;
  /** The command that sent it. */
  readonly skills: readonly string[];
  /** It drives the base; a later drive ends it. */
  readonly isDrive: boolean;
  /** It moves the robot. */
  readonly isMotion: boolean;
  /** The robot has begun, or it is over. */
  readonly begun = new Latch();
  readonly over = new Latch();
  #started = false;
  #accepted = false;
  #ending: Ending | undefined;

  constructor(clientId: string, { action, command, isDrive = false, isMotion = isDrive }: GoalOrder) {
    this.clientId = clientId;
    this.action = action;
    this.skills = [command];
    this.isDrive = isDrive;
    this.isMotion = isMotion;
  }

  get hasStarted(): boolean {
    return this.#started;
  }

  /** The action server has it, begun or not. */
  get isAccepted(): boolean {
    return this.#accepted || this.#started;
  }

  get ending(): Ending | undefined {
    return this.#ending;
  }

  get finished(): boolean {
    return this.#ending?.how === 'succeeded';
  }

  get failed(): boolean {
    return this.#ending?.how === 'failed';
  }

  get message(): string {
    return this.#ending?.message ?? NOT_FOUND;
  }

  accept(): void {
    this.#accepted = true;
  }

  start(): void {
    this.#started = true;
    this.begun.open();
  }

  end(ending: Ending): void {
    if (this.#ending) return;
    this.#ending = ending;
    if (ending.how === 'succeeded') this.#started = true;
    this.begun.open();
    this.over.open();
  }

  rejectWaiting(error: unknown): void {
    this.begun.rejectWaiting(error);
    this.over.rejectWaiting(error);
  }
}
