import { ServiceError } from '../errors.ts';

/** Places for runs at the same time. Each has a number, which belongs to one holder until it is released. */
export class Slots {
  readonly #holders: Array<string | undefined>;

  constructor(count: number) {
    this.#holders = Array.from({ length: count }, () => undefined);
  }

  /** @param holder id of the run or sequence. @throws ServiceError `busy`, naming who holds the places. */
  take(holder: string): number {
    const slot = this.#holders.indexOf(undefined);
    if (slot < 0) throw this.#taken();
    this.#holders[slot] = holder;
    return slot;
  }

  release(slot: number): void {
    this.#holders[slot] = undefined;
  }

  #taken(): ServiceError {
    const holders = this.#holders.filter((holder) => holder !== undefined);
    const which = holders.length === 1 ? `The run ${holders[0]} is` : `The runs ${holders.join(', ')} are`;
    return new ServiceError('busy', {
      detail: `${which} under way, and no more run at the same time (SERVICE_SKILL_CONCURRENCY). Wait for its end, or stop it: POST /api/v2/runs/${holders[0]}/stop.`,
      headers: { 'retry-after': '5' },
      members: { command_ran: 'no', run: holders[0] },
    });
  }
}
