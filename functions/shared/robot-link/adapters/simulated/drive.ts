import { randomUUID } from 'node:crypto';
import { Latch } from '../../../kit/latch.ts';
import { CANCELLED, type Tracked } from '../mission-book.ts';
import type { Body } from './body.ts';

/** Longest pause before a drive looks again, in ms: the clock of the robot may be set. */
const MAX_PAUSE_MS = 60_000;

/** A drive of the base to its target: under way at once, and over when the body arrives or it is cancelled. */
export class Drive implements Tracked {
  readonly id = randomUUID();
  readonly clientId: string;
  readonly noisy = false;
  /** A drive is none of the robot's skills. */
  readonly skills: readonly string[] = [];
  readonly running = true;
  readonly hasStarted = true;
  readonly begun = new Latch();
  readonly over = new Latch();
  readonly message = CANCELLED;
  readonly #body: Body;
  readonly #onOver: (drive: Drive) => void;
  #finished = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(clientId: string, body: Body, onOver: (drive: Drive) => void) {
    this.clientId = clientId;
    this.#body = body;
    this.#onOver = onOver;
    this.begun.open();
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** Ends the drive if the body has arrived, or waits for that. Called again whenever the velocity changes. */
  look(): void {
    clearTimeout(this.#timer);
    if (this.over.isOpen) return;
    const seconds = this.#body.secondsLeft();
    if (seconds === 0) this.#end(true);
    else this.#timer = setTimeout(() => this.look(), Math.min(Math.ceil(seconds * 1000), MAX_PAUSE_MS)).unref();
  }

  /** The body stands still where it is. */
  cancel(): void {
    if (this.over.isOpen) return;
    this.#body.freeze();
    this.#end(false);
  }

  #end(finished: boolean): void {
    clearTimeout(this.#timer);
    this.#finished = finished;
    this.#onOver(this);
    this.over.open();
  }
}
