import { ServiceError } from '../errors.ts';

/**
 * The largest number that is taken from others. Up to 2^53-1, beyond which JSON carries no integer exactly, a stop always
 * finds a higher one.
 */
export const MAX_FENCE = 2 ** 53 - 2 ** 32;

let lastStamp = 0;

/**
 * A position in the order of what happens in this process: the next call returns a higher one. A request takes one when it
 * arrives, a fence when it rises, so that the two can be compared whatever either of them waited for in between.
 */
export function arrivalStamp(): number {
  lastStamp += 1;
  return lastStamp;
}

/** Where a fence takes its numbers from; none is given out twice for one robot. */
export interface NumberReserve {
  /** The number that counts at present. It may rise by itself when it could be kept only higher up. */
  readonly last: number;
  /** The next number, always. */
  next(): number;
  /** Makes the next number a higher one than this; settles when the reserve has room again, or has failed to make it. */
  skip(number: number): Promise<void>;
  /** False while {@link last} is not reserved: after a restart it could be given out again. */
  readonly kept: boolean;
}

/** Numbers that nobody keeps: for robots that own theirs, and for processes without a disk. */
export function unkeptNumbers(): NumberReserve {
  let last = 0;
  return {
    get last() {
      return last;
    },
    next() {
      last += 1;
      return last;
    },
    async skip(number) {
      last = Math.max(last, number);
    },
    kept: true,
  };
}

/**
 * What a stop leaves behind, so that nothing which arrived before it can move the robot after it. One number for each robot.
 * Whoever stops the robot raises it first; a link compares immediately before the bytes of a motion leave.
 *
 * A robot that compares for itself owns its number, and the fence follows what it says. Elsewhere the service owns it.
 */
export class Fence {
  readonly #reserve: NumberReserve;
  /** The number of a robot that owns it. */
  #robots: number | undefined;
  #risenAt = 0;
  #lastMotion: number | undefined;
  #lostAt: number | undefined;

  constructor(reserve: NumberReserve = unkeptNumbers()) {
    this.#reserve = reserve;
    reserve.next();
  }

  /** The present number, 0 to 2^53-1. */
  read(): number {
    return this.#robots ?? this.#reserve.last;
  }

  /** When the motion arrived that was let pass last; undefined when there was none since the last stop. */
  get lastMotion(): number | undefined {
    return this.#lastMotion;
  }

  /** Refuses from now on all motion that has arrived until now. Never fails. Gives the new number. */
  raise(): number {
    if (this.#robots === undefined) this.#reserve.next();
    else this.#robots = Math.min(this.#robots + 1, Number.MAX_SAFE_INTEGER);
    this.#risenAt = arrivalStamp();
    this.#lastMotion = undefined;
    return this.read();
  }

  /**
   * Makes the number at least as high as one that somebody was given for this robot, by an earlier installation for instance.
   * It is so when this returns, and kept when the promise settles.
   */
  advance(number: number): Promise<void> {
    if (number <= this.read()) return Promise.resolve();
    if (this.#robots === undefined) return this.#reserve.skip(number);
    this.#robots = number;
    return Promise.resolve();
  }

  /**
   * Goes on from the number that the robot says it has. A higher one than was known tells of a stop by somebody else, and
   * refuses what arrived until now; after {@link lose}, what arrived until then.
   */
  follow(number: number): void {
    if (this.#robots !== undefined && number > this.#robots) {
      this.#risenAt = Math.max(this.#risenAt, this.#lostAt ?? arrivalStamp());
    }
    this.#robots = Math.max(this.#robots ?? 0, number);
    this.#lostAt = undefined;
  }

  /** The robot is out of reach; others may stop it in the meantime. */
  lose(): void {
    this.#lostAt ??= arrivalStamp();
  }

  /** The robot owns no number (any more): the service's own counts. */
  own(): void {
    if (this.#robots !== undefined) this.#reserve.next();
    this.#robots = undefined;
  }

  /** Whether a motion that arrived at this stamp came after the last stop. */
  isPassed(arrivedAt: number): boolean {
    return arrivedAt > this.#risenAt;
  }

  /**
   * Lets a motion pass that arrived at this stamp; undefined, for what moves nothing, always passes.
   * @throws ServiceError `stopped` when the fence has risen since; `storage_full` while no number can be reserved. Both
   * with `command_ran: "no"`.
   */
  admit(arrivedAt: number | undefined): void {
    if (arrivedAt === undefined) return;
    if (!this.isPassed(arrivedAt)) throw stopped();
    if (this.#robots === undefined && !this.#reserve.kept) throw notReserved();
    this.#lastMotion = arrivedAt;
  }
}

/** `stopped`: the command arrived before a stop and was not sent. */
export function stopped(): ServiceError {
  return new ServiceError('stopped', {
    detail: 'The robot was stopped after this command had arrived. The command did not run; send it again to move.',
    members: { command_ran: 'no' },
  });
}

function notReserved(): ServiceError {
  return new ServiceError('storage_full', {
    detail:
      'The service cannot keep the number that tells commands from before a stop apart from those after it. Free space in the data folder. The command did not run; stop works.',
    members: { command_ran: 'no' },
  });
}
