import { ServiceError } from '../../../errors.ts';
import { within } from '../../../kit/within.ts';
import type { ActionForm } from './action-form.ts';
import type { Goal } from './goal.ts';
import type { Goals } from './goals.ts';
import { cancel } from './missions.ts';
import type { Pauses } from './publications.ts';
import type { Services } from './services.ts';

/** How long a drive waits for the previous one to end, in ms. */
const END_MS = 2_000;

interface Parts {
  readonly goals: Goals;
  readonly form: ActionForm;
  readonly pauses: Pauses;
  readonly services: Pick<Services, 'motionAnswered' | 'motionUnderWay'>;
}

/** The drives of the base. A new drive cancels the previous one. */
export class Drives {
  readonly #parts: Parts;
  readonly #calls = new Set<Promise<unknown>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A drive that is a service call: it cannot be cancelled, and ends with the response. */
  noteCall(answer: Promise<unknown>): void {
    this.#calls.add(answer);
    const forget = () => void this.#calls.delete(answer);
    answer.then(forget, forget);
  }

  get anyUnderWay(): boolean {
    return this.#calls.size > 0 || this.#parts.pauses.ofDrive || this.#goals().length > 0;
  }

  /**
   * Cancels the active drives and waits until they have ended.
   * @returns whether there was one. @throws ServiceError `busy` if one does not end within 2 s; the signal's reason.
   */
  async endAll(signal: AbortSignal): Promise<boolean> {
    if (!this.anyUnderWay) return false;
    this.#parts.pauses.end(replaced(), 'drive');
    await this.#end(this.#goals(), Promise.allSettled(this.#calls), signal);
    return true;
  }

  /**
   * Cancels all motion so that the robot can be driven manually, and waits until it has ended; undefined if there is
   * nothing to wait for.
   * @throws as {@link endAll}.
   */
  makeWay(signal: AbortSignal): Promise<void> | undefined {
    const { goals, pauses, services } = this.#parts;
    pauses.end(replaced(), 'motion');
    const moving = goals.underWay().filter(({ isMotion }) => isMotion);
    if (moving.length === 0 && !services.motionUnderWay) return undefined;
    return this.#end(moving, services.motionAnswered(), signal);
  }

  async #end(goals: readonly Goal[], answered: Promise<unknown>, signal: AbortSignal): Promise<void> {
    const { form } = this.#parts;
    const limit = AbortSignal.timeout(END_MS);
    const either = AbortSignal.any([signal, limit]);
    const callsEnd = within(answered, END_MS, () => {
      throw notEnded();
    });
    try {
      await Promise.all([...goals.map((goal) => cancel(goal, { form, signal: either })), callsEnd]);
    } catch (error) {
      throw limit.aborted && !signal.aborted ? notEnded() : error;
    }
  }

  #goals(): Goal[] {
    return this.#parts.goals.underWay().filter(({ isDrive }) => isDrive);
  }
}

function notEnded(): ServiceError {
  return new ServiceError('busy', {
    detail: `The previous motion of the robot did not end within ${END_MS / 1000} s of its cancellation. Nothing else was sent.`,
    members: { command_ran: 'no' },
  });
}

/** The error for a drive that was replaced early. */
function replaced(): ServiceError {
  return new ServiceError('busy', {
    detail: 'A later drive replaced this one before all of its messages had been sent.',
    members: { command_ran: 'maybe' },
  });
}
