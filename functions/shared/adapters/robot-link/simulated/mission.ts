import { randomUUID } from 'node:crypto';
import { Moment } from '../moment.ts';

/** From the call until the robot begins, in ms. */
export const START_DELAY_MS = 100;

/** What one client had the robot do: called, started after a short delay, then finished by itself or cancelled. */
export class Mission {
  readonly id = randomUUID();
  readonly clientId: string;
  readonly noisy: boolean;
  /** The start, or the cancellation that came before it. */
  readonly begun = new Moment();
  readonly over = new Moment();
  #state: 'called' | 'started' | 'finished' | 'cancelled' = 'called';
  #hasStarted = false;
  #timer: NodeJS.Timeout;
  readonly #onOver: (mission: Mission) => void;

  constructor(clientId: string, plan: { seconds: number; noisy: boolean }, onOver: (mission: Mission) => void) {
    this.clientId = clientId;
    this.noisy = plan.noisy;
    this.#onOver = onOver;
    this.#timer = setTimeout(() => this.#start(plan.seconds * 1000), START_DELAY_MS).unref();
  }

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  get running(): boolean {
    return this.#state === 'started';
  }

  get finished(): boolean {
    return this.#state === 'finished';
  }

  cancel(): void {
    this.#end('cancelled');
  }

  #start(ms: number): void {
    this.#state = 'started';
    this.#hasStarted = true;
    this.#timer = setTimeout(() => this.#end('finished'), ms).unref();
    this.begun.pass();
  }

  #end(how: 'finished' | 'cancelled'): void {
    if (this.over.passed) return;
    clearTimeout(this.#timer);
    this.#state = how;
    this.#onOver(this);
    this.begun.pass();
    this.over.pass();
  }
}
