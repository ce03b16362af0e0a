import { ServiceError } from '../errors.ts';

/**
 * The largest number that is taken from others. Up to 2^53-1, beyond which JSON carries no integer exactly, a stop
 * always finds a higher one.
 */
export const MAX_FENCE = 2 ** 53 - 2 ** 32;

/** Why a fence has risen: a stop, of whomever, or a change of the lease. */
export type FenceRise = 'stop' | 'lease';

let lastStamp = 0;

/**
 * A position in the order of what happens in this process: the next call returns a higher one. A request takes one when
 * it arrives, a fence when it rises, so that the two can be compared whatever either of them waited for in between.
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
  /**
   * Makes the next number a higher one than this; settles when the reserve has room again, or has failed to make it.
   */
  skip(number: number): Promise<void>;
  /** False while {@link last} is not reserved: after a restart it could be given out again. */
  readonly kept: boolean;
}

/** Numbers that are not stored: for robots that keep their own, and for processes without a disk. */
function unkeptNumbers(): NumberReserve {
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

/** The fence of another process that can stop the robot too; see {@link Fence.shareWith}. */
export interface SharedFence {
  /** Tells the other process the present number. Never throws. */
  tell(number: number): void;
  /**
   * Asked immediately before a motion is sent; raises this fence first if the other process has stopped the robot.
   * @throws ServiceError when no motion may be sent now, with `command_ran: "no"`.
   */
  assertPassable(): void;
}

/**
 * What a stop leaves behind, so that nothing which arrived before it can move the robot after it. One number for each
 * robot. Whoever stops the robot raises it first; a link compares immediately before the bytes of a motion leave.
 *
 * A robot that compares for itself owns its number, and the fence follows what it says. Elsewhere the service owns it.
 */
export class Fence {
  readonly #reserve: NumberReserve;
  /** The number of a robot that owns it. */
  #robots: number | undefined;
  #risenAt = 0;
  /** Why motion that arrived before {@link #risenAt} is refused. */
  #refusal: () => ServiceError = stopped;
  #lastMotion: number | undefined;
  #lostAt: number | undefined;
  #shared: SharedFence | undefined;
  #stoppedAt = 0;
  #onRise: (why: FenceRise) => void = () => undefined;

  constructor(reserve: NumberReserve = unkeptNumbers()) {
    this.#reserve = reserve;
    reserve.next();
  }

  /** The present number, 0 to 2^53-1. */
  read(): number {
    return this.#robots ?? this.#reserve.last;
  }

  /** Whether the robot compares the number for itself. */
  get ownedByRobot(): boolean {
    return this.#robots !== undefined;
  }

  /** When the motion arrived that was let pass last; undefined when there was none since the last stop. */
  get lastMotion(): number | undefined {
    return this.#lastMotion;
  }

  /** From now on a stop of another process refuses motion like one of this process. */
  shareWith(shared: SharedFence): void {
    this.#shared = shared;
    shared.tell(this.read());
  }

  /** When (`arrivalStamp`) the last stop of this robot was requested or noticed; 0 when there was none. */
  get stoppedAt(): number {
    return this.#stoppedAt;
  }

  /** Calls one listener, which must not throw, whenever the fence has risen: before whoever raised it goes on. */
  onRise(listener: (why: FenceRise) => void): void {
    this.#onRise = listener;
  }

  /** Refuses from now on all motion that has arrived until now. Never fails. Gives the new number. */
  raise(): number {
    this.#lastMotion = undefined;
    return this.#rise('stop', stopped);
  }

  /**
   * The same for a change of the lease, with which no motion ends: what waits is refused with `refusal` instead. Never
   * fails. Gives the new number.
   */
  raiseForLease(refusal: () => ServiceError): number {
    return this.#rise('lease', refusal);
  }

  #rise(why: FenceRise, refusal: () => ServiceError): number {
    if (this.#robots === undefined) this.#reserve.next();
    else this.#robots = Math.min(this.#robots + 1, Number.MAX_SAFE_INTEGER);
    this.#risenAt = arrivalStamp();
    this.#refusal = refusal;
    this.#tell(why);
    this.#shared?.tell(this.read());
    return this.read();
  }

  #tell(why: FenceRise): void {
    if (why === 'stop') this.#stoppedAt = arrivalStamp();
    this.#onRise(why);
  }

  /**
   * Makes the number at least as high as one that a client was given for this robot, by an earlier installation for
   * instance. It is so when this returns, and kept when the promise settles.
   */
  advance(number: number): Promise<void> {
    if (number <= this.read()) return Promise.resolve();
    const kept = this.#robots === undefined ? this.#reserve.skip(number) : Promise.resolve();
    if (this.#robots !== undefined) this.#robots = number;
    this.#shared?.tell(this.read());
    return kept;
  }

  /**
   * Continues from the number that the robot reports. A higher one than was known means that others have stopped it,
   * and refuses what arrived until now; after {@link lose}, what arrived until then.
   */
  follow(number: number): void {
    if (this.#robots !== undefined && number > this.#robots) {
      this.#risenAt = Math.max(this.#risenAt, this.#lostAt ?? arrivalStamp());
      this.#refusal = stopped;
      this.#tell('stop');
    }
    this.#robots = Math.max(this.#robots ?? 0, number);
    this.#lostAt = undefined;
    this.#shared?.tell(this.read());
  }

  /** The robot is out of reach; others may stop it in the meantime. */
  lose(): void {
    this.#lostAt ??= arrivalStamp();
  }

  /** The robot does not keep a number: the service's own counts. */
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
   * @throws ServiceError when the fence has risen since: `stopped`, or `lease_held` or `lease_lost` if the lease has
   * changed; `storage_full` while no number can be reserved; what {@link SharedFence.assertPassable} throws. All with
   * `command_ran: "no"`.
   */
  admit(arrivedAt: number | undefined): void {
    if (arrivedAt === undefined) return;
    this.#shared?.assertPassable();
    if (!this.isPassed(arrivedAt)) throw this.#refusal();
    if (this.#robots === undefined && !this.#reserve.kept) throw notReserved();
    this.#lastMotion = arrivedAt;
  }
}

/** `stopped`: the command arrived before a stop and was not sent. */
export function stopped(): ServiceError {
  return new ServiceError('stopped', {
    detail: 'A stop was requested after this command had arrived. The command did not run; send it again to move.',
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
