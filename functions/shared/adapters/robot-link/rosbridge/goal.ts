import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../../../json.ts';
import { Moment } from '../moment.ts';

/** How a goal ended. */
export interface Ending {
  readonly how: 'succeeded' | 'cancelled' | 'failed';
  readonly result: JsonValue;
  /** What the robot says about it, in words. */
  readonly message: string;
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
  #ending: Ending | undefined;

  constructor(clientId: string, action: string) {
    this.clientId = clientId;
    this.action = action;
  }

  get hasStarted(): boolean {
    return this.#started;
  }

  get ending(): Ending | undefined {
    return this.#ending;
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
