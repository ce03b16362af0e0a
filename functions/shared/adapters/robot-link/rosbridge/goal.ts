import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../../../json.ts';
import { Moment } from '../moment.ts';

/** How a goal ended. */
export interface Ending {
  readonly how: 'succeeded' | 'cancelled' | 'failed';
  readonly result: JsonValue;
  /** What the robot says about it, in words. */
  readonly message: string;
  /** The robot has not said so: it no longer speaks of one that is `gone`; one that is `lost` may still be under way. */
  readonly assumed?: 'gone' | 'lost';
}

/** One goal of one action, from its sending until the robot says how it ended. */
export class Goal {
  readonly id = randomUUID();
  readonly clientId: string;
  readonly action: string;
  /** The robot has begun, or it is over. */
  readonly begun = new Moment();
  readonly over = new Moment();
  #started = false;
  #accepted = false;
  #ending: Ending | undefined;

  constructor(clientId: string, action: string) {
    this.clientId = clientId;
    this.action = action;
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

  accept(): void {
    this.#accepted = true;
  }

  start(): void {
    this.#started = true;
    this.begun.pass();
  }

  end(ending: Ending): void {
    if (this.#ending) return;
    this.#ending = ending;
    if (ending.how === 'succeeded') this.#started = true;
    this.begun.pass();
    this.over.pass();
  }

  dismissWaiters(error: unknown): void {
    this.begun.dismiss(error);
    this.over.dismiss(error);
  }
}
