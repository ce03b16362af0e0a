import type { Act } from './messages.ts';

/** The oldest are forgotten: the log has them. */
const MAX_ACTS = 100;

/** What the guard has done, until the service has heard of it: the one that lives, or the next. */
export class Acts {
  readonly #send: (act: Act) => void;
  #untold: Act[] = [];
  #count = 0;

  /** @param send tells the service, if there is one. */
  constructor(send: (act: Act) => void) {
    this.#send = send;
  }

  add(act: Omit<Act, 'id' | 'at'>): void {
    this.#count += 1;
    const added = { ...act, id: `${process.pid}-${this.#count}`, at: Date.now() };
    this.#untold = [...this.#untold, added].slice(-MAX_ACTS);
    this.#send(added);
  }

  /** A service has come that may not have heard of them. */
  tellAgain(): void {
    for (const act of this.#untold) this.#send(act);
  }

  /** The service has heard of it. */
  heard(id: string): void {
    this.#untold = this.#untold.filter((act) => act.id !== id);
  }
}
