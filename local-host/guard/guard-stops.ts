import { type Fence, type SharedFence, stopped } from '../../functions/shared/control/fence.ts';
import { ServiceError } from '../../functions/shared/errors.ts';
import type { Logger } from '../../functions/shared/observability/logger.ts';
import type { Sender } from '../../functions/shared/robot-link/port.ts';
import type { FenceFile } from './fence-file.ts';

/** Turns of the event loop in which connections that wait are accepted, and then what they had sent is read. */
const READING_TURNS = 3;

/** Where requests begin: what arrives in the hold, or was not read by its end, may be older than it seems. */
export interface Arrivals {
  holdBack(): void;
  letGo(): void;
}

interface Parts {
  readonly file: FenceFile;
  readonly fence: Fence;
  readonly logger: Logger;
  /** How long motion is refused after a stop of the guard, in ms. */
  readonly holdMs: number;
  /** Now, in ms of a clock that nobody sets. */
  readonly monotonic: () => number;
  /** Whether the guard is connected: it then has to have opened the present file. */
  readonly isGuardThere: () => boolean;
  readonly arrivals: Arrivals;
  /** Called after the fence was raised for a stop of the guard. */
  readonly onStop: (sender?: Sender) => void;
}

/**
 * The stops of the guard, as the service sees them. A guard's word that has changed raises the fence. For a while
 * afterwards, and until every socket that held something then was read once, no motion is sent at all: what is read in
 * that time may have been sent before the stop.
 */
export class GuardStops implements SharedFence {
  readonly #parts: Parts;
  #seen: number;
  #heldSince: number | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#seen = parts.file.word('guard');
  }

  tell(number: number): void {
    const { file, logger } = this.#parts;
    try {
      if (file.reopen()) file.raise(number);
    } catch (error) {
      logger.error({ err: error }, 'cannot tell the guard the number of the fence');
    }
  }

  /**
   * Raises the fence if the guard has stopped the robot since the last look. Never throws.
   * @returns whether both have opened the file.
   */
  look(): boolean {
    const { file } = this.#parts;
    const isShared = file.reopen() && file.isOpenedBy('guard');
    if (isShared) this.heard(file.word('guard'));
    return isShared;
  }

  /**
   * The same where the guard itself says which word it has written, whatever became of the file.
   * @param sender on whose behalf it stopped the robot.
   */
  heard(word: number, sender?: Sender): void {
    if (word === this.#seen) return;
    this.#seen = word;
    this.#hold();
    this.#parts.fence.raise();
    this.#parts.onStop(sender);
  }

  /** @throws ServiceError `stopped` for a while after a stop; `component_unavailable` while the file is not shared. */
  assertPassable(): void {
    const isShared = this.look();
    if (this.#heldSince !== undefined) throw stopped();
    if (!isShared && this.#parts.isGuardThere()) throw notShared();
  }

  #hold(): void {
    this.#heldSince = this.#parts.monotonic();
    this.#parts.arrivals.holdBack();
    this.#wait(this.#heldSince);
  }

  #wait(since: number): void {
    const { holdMs, monotonic } = this.#parts;
    const leftMs = since + holdMs - monotonic();
    // A process that was held up has its timers called before it reads its sockets.
    if (leftMs <= 0) this.#readFirst(since, READING_TURNS);
    else setTimeout(() => this.#wait(since), Math.ceil(leftMs)).unref();
  }

  #readFirst(since: number, turns: number): void {
    if (since !== this.#heldSince) return;
    if (turns > 0) {
      setImmediate(() => this.#readFirst(since, turns - 1));
      return;
    }
    this.#heldSince = undefined;
    this.#parts.arrivals.letGo();
  }
}

function notShared(): ServiceError {
  return new ServiceError('component_unavailable', {
    detail:
      'The file that the service shares with its guard was replaced, and the guard has not opened the new one yet. The command did not run; stop works.',
    members: { command_ran: 'no' },
    headers: { 'retry-after': '1' },
  });
}
