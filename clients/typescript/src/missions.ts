import { Declined, isObject, LeaseLost, Stopped, text, Unavailable } from './errors.ts';
import type { Control } from './lease.ts';

/** What became of a command. */
export interface Result {
  /** `null` if it was sent and the robot does not answer such commands. */
  readonly ok: true | null;
  /** The robot's own answer. */
  readonly result: unknown;
  /** The drive that was under way was cancelled for this one. */
  readonly replaced: boolean;
}

/** A wait that the service ended sooner than this has failed; later ones are begun again. */
const SHORT_WAIT_MS = 15_000;
const WAITS: ReadonlySet<string> = new Set(['wait_for_skill', 'wait_for_skill_started']);
const SKILLS: ReadonlySet<string> = new Set(['skill', 'play_sequence']);
const CANCEL = 'cancel_';
/** So many missions are remembered; the oldest is forgotten first. */
const MAX_REMEMBERED = 1000;

/** @throws Declined if the robot does not do it. */
export function resultOf(answer: Record<string, unknown>): Result {
  const { ok = true, result, replaced, declined } = answer;
  if (ok !== false) return { ok: ok === true ? true : null, result, replaced: replaced === true };
  throw new Declined(text(declined) ?? messageOf(result) ?? 'The robot declines, and does not say why.', result);
}

/** The robot's own words or id, where its answer has them. */
export function messageOf(result: unknown): string | undefined {
  return isObject(result) ? text(result.msg) : undefined;
}

type Send = (name: string, value: unknown, signal?: AbortSignal) => Promise<Result>;

/** Something that the robot is doing: a skill, a sequence, or a drive. */
export class Mission {
  readonly id: string;
  readonly #send: Send;
  #end: Result | undefined;

  constructor(id: string, send: Send) {
    this.id = id;
    this.#send = send;
  }

  /** Resolves once it has started. @throws Declined if it did not, or the errors of {@link completed}. */
  async started(signal?: AbortSignal): Promise<void> {
    if (!this.#end) await this.#wait('wait_for_skill_started', signal);
  }

  /**
   * Resolves once it has finished. A signal ends the wait; the mission goes on.
   *
   * @throws Declined if it has failed, or was cancelled or replaced by this program; Stopped if a stop or somebody else has
   * ended it; LeaseLost if the lease of this program was lost with it.
   */
  async completed(signal?: AbortSignal): Promise<Result> {
    this.#end ??= await this.#wait('wait_for_skill', signal);
    return this.#end;
  }

  /** Cancels it. False if it had ended before. */
  async cancel(): Promise<boolean> {
    try {
      await this.#send('cancel_skill', this.id);
      return true;
    } catch (error) {
      if (error instanceof Declined) return false;
      throw error;
    }
  }

  async #wait(command: string, signal: AbortSignal | undefined): Promise<Result> {
    for (;;) {
      const begun = performance.now();
      try {
        return await this.#send(command, this.id, signal);
      } catch (error) {
        signal?.throwIfAborted();
        const long = performance.now() - begun >= SHORT_WAIT_MS;
        if (!(error instanceof Unavailable && long && ['robot_timeout', 'timeout'].includes(error.code))) throw error;
      }
    }
  }
}

/**
 * Remembers which missions this program has ended. Every other cancelled one counts as stopped, the safer side: the robot
 * answers the same after a stop, a lease that was taken, and another client's cancellation.
 */
export class Endings {
  /** Stops that this program has sent. */
  stops = 0;
  readonly #control: Control;
  readonly #begun = new Set<string>();
  readonly #ended = new Set<string>();
  /** Commands under way that may end a mission. */
  readonly #underWay = new Set<Promise<unknown>>();
  #drive: string | undefined;

  constructor(control: Control) {
    this.#control = control;
  }

  /** Watches a command, and the end of waits. */
  async watch(name: string, motion: boolean | undefined, value: unknown, command: Promise<Result>): Promise<Result> {
    if (WAITS.has(name)) return this.#judged(command, value);
    const noted = command.then((result) => this.#note(name, motion, value, result));
    if (name.startsWith(CANCEL) || motion !== false) {
      const over = noted.catch(() => undefined).finally(() => this.#underWay.delete(over));
      this.#underWay.add(over);
    }
    await noted;
    return command;
  }

  #note(name: string, motion: boolean | undefined, value: unknown, result: Result): void {
    if (name.startsWith(CANCEL)) {
      for (const id of typeof value === 'string' ? [value] : this.#begun) remember(this.#ended, id);
      return;
    }
    if (result.replaced && this.#drive !== undefined) remember(this.#ended, this.#drive);
    const begun = messageOf(result.result);
    if (begun === undefined || motion === false) return;
    remember(this.#begun, begun);
    if (!SKILLS.has(name)) this.#drive = begun;
  }

  async #judged(wait: Promise<Result>, id: unknown): Promise<Result> {
    const stopsBefore = this.stops;
    try {
      return await wait;
    } catch (error) {
      if (!(error instanceof Declined)) throw error;
      if (this.stops === stopsBefore) {
        if (!/cancel/i.test(error.detail)) throw error;
        await Promise.all(this.#underWay);
        if (typeof id === 'string' && this.#ended.has(id)) throw error;
      }
      const { lease } = this.#control;
      if (lease && (await lease.isLost())) {
        throw new LeaseLost(error.status, 'lease_lost', 'The mission has ended: the lease was lost.');
      }
      throw new Stopped(error.status, 'stopped', 'The mission was ended by a stop, or by somebody else.');
    }
  }
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > MAX_REMEMBERED && oldest !== undefined) ids.delete(oldest);
}
