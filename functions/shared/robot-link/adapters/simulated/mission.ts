import { randomUUID } from 'node:crypto';
import { Latch } from '../../../kit/latch.ts';
import { CANCELLED, type Tracked } from '../mission-book.ts';
import type { Step, Steps } from './skills.ts';

/** From the call until the robot begins, in ms. */
const START_DELAY_MS = 100;

/** What one client had the robot do: called, started after a short delay, then finished by itself or cancelled. */
export class Mission implements Tracked {
  readonly id = randomUUID();
  readonly clientId: string;
  readonly noisy: boolean;
  readonly skills: readonly string[];
  /** The start, or the cancellation that came before it. */
  readonly begun = new Latch();
  readonly over = new Latch();
  readonly message = CANCELLED;
  #state: 'called' | 'started' | 'finished' | 'cancelled' = 'called';
  #hasStarted = false;
  /** Of the steps, and when the first of them began (ms since the process started). */
  readonly #steps: readonly Step[];
  #startedAt = 0;
  #timer: NodeJS.Timeout;
  readonly #onOver: (mission: Mission) => void;

  constructor(clientId: string, { seconds, noisy, steps }: Steps, onOver: (mission: Mission) => void) {
    this.clientId = clientId;
    this.noisy = noisy;
    this.skills = steps.map(({ name }) => name);
    this.#steps = steps;
    this.#onOver = onOver;
    this.#timer = setTimeout(() => this.#start(seconds * 1000), START_DELAY_MS).unref();
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

  /** The skill that is carried out now, and for how many seconds it has been. */
  currentStep(): { readonly name: string; readonly seconds: number } | undefined {
    if (!this.running) return undefined;
    let seconds = (performance.now() - this.#startedAt) / 1000;
    for (const step of this.#steps) {
      if (seconds < step.seconds) return { name: step.name, seconds };
      seconds -= step.seconds;
    }
    return undefined;
  }

  cancel(): void {
    this.#end('cancelled');
  }

  #start(ms: number): void {
    this.#state = 'started';
    this.#hasStarted = true;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => this.#end('finished'), ms).unref();
    this.begun.open();
  }

  #end(how: 'finished' | 'cancelled'): void {
    if (this.over.isOpen) return;
    clearTimeout(this.#timer);
    this.#state = how;
    this.#onOver(this);
    this.begun.open();
    this.over.open();
  }
}
