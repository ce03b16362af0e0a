import { BoundedMap } from '../../kit/bounded-map.ts';
import type { Latch } from '../../kit/latch.ts';
import { Shares } from '../../kit/shares.ts';

/** A long-running activity of the robot that clients can wait for by id. */
export interface Tracked {
  readonly id: string;
  readonly clientId?: string;
  /** The skills it consists of, if any. */
  readonly skills?: readonly string[];
  /** It has started, or has already ended. */
  readonly begun: Latch;
  readonly over: Latch;
  readonly hasStarted: boolean;
  readonly finished: boolean;
  /** It ended without finishing or being cancelled. */
  readonly failed?: boolean;
  /** How it ended, unless it finished. */
  readonly message: string;
}

/** Observes when missions start and how they end. */
export type MissionObserver<M> = (change: 'started' | 'finished' | 'cancelled' | 'failed', mission: M) => void;

type StartResult = { readonly started: boolean; readonly msg: string };
type WaitResult = { readonly awaited: boolean; readonly start_result: StartResult; readonly msg: string };

export const NOT_FOUND = 'Mission not found';
export const CANCELLED = 'Mission cancelled';

/** Maximum number of active missions of all keys together. */
export const MAX_UNDER_WAY = 1000;
/** Maximum number of ended missions to remember; the oldest is forgotten first. */
export const MAX_REMEMBERED = 1000;

/**
 * The missions of one robot. An ended mission is remembered until a client has waited for it once, so that a client that
 * was disconnected still learns how it ended.
 */
export class MissionBook<M extends Tracked> {
  readonly #underWay = new Map<string, { readonly mission: M; readonly release: () => void }>();
  readonly #remembered = new BoundedMap<string, M>(MAX_REMEMBERED);
  readonly #shares: Shares;
  #observer: MissionObserver<M> = () => undefined;

  /** @param what the noun for them in messages, in the plural. */
  constructor(what: string) {
    this.#shares = new Shares(MAX_UNDER_WAY, what);
  }

  /** Sets the observer of all missions from now on. */
  observe(observer: MissionObserver<M>): void {
    this.#observer = observer;
  }

  /** Adds a mission. @throws ServiceError `busy` if the key already has its share of active missions. */
  begin<T extends M>(keyId: string, make: () => T): T {
    const release = this.#shares.take(keyId);
    const mission = make();
    this.#underWay.set(mission.id, { mission, release });
    mission.begun.whenOpen(() => {
      if (mission.hasStarted) this.#observer('started', mission);
    });
    mission.over.whenOpen(() => this.#observer(howEnded(mission), mission));
    return mission;
  }

  underWay(): M[] {
    return [...this.#underWay.values()].map(({ mission }) => mission);
  }

  /** The active mission with this id. */
  find(id: unknown): M | undefined {
    return typeof id === 'string' ? this.#underWay.get(id)?.mission : undefined;
  }

  /** The mission with this id, active or ended and not yet forgotten. */
  known(id: string): M | undefined {
    return this.find(id) ?? this.#remembered.get(id);
  }

  /** Marks a mission as ended. */
  remember(mission: M): void {
    if (this.#remove(mission)) this.#remembered.set(mission.id, mission);
  }

  /** Forgets a mission that was never sent or has been waited for. */
  forget(mission: M): void {
    this.#remove(mission);
    this.#remembered.delete(mission.id);
  }

  /** Resolves to whether it has started, once that is known. Does not count as the one late wait for an ended mission. */
  waitForStart(id: string, waiting: Waiting): StartResult | Promise<StartResult> {
    const mission = this.known(id);
    if (!mission) return { started: false, msg: NOT_FOUND };
    if (mission.begun.isOpen) return startOf(mission);
    return mission.begun.wait(waiting.signal).then(() => startOf(mission));
  }

  /** Resolves to how it ended, once that is known. */
  waitForEnd(id: string, waiting: Waiting): WaitResult | Promise<WaitResult> {
    const mission = this.known(id);
    if (!mission) return { awaited: false, start_result: { started: false, msg: NOT_FOUND }, msg: NOT_FOUND };
    if (!mission.over.isOpen) return mission.over.wait(waiting.signal).then(() => endOf(mission));
    this.forget(mission);
    return endOf(mission);
  }

  /** @returns whether it was active. */
  #remove({ id }: M): boolean {
    this.#underWay.get(id)?.release();
    return this.#underWay.delete(id);
  }
}

/** Creating the signal is expensive, so it is only read if there is something to wait for. */
export type Waiting = { readonly signal: AbortSignal };

function howEnded({ finished, failed }: Tracked): 'finished' | 'cancelled' | 'failed' {
  if (finished) return 'finished';
  return failed ? 'failed' : 'cancelled';
}

function startOf({ hasStarted, message }: Tracked): StartResult {
  return hasStarted ? { started: true, msg: 'Mission started' } : { started: false, msg: message };
}

function endOf(mission: Tracked): WaitResult {
  const { finished, message } = mission;
  return { awaited: finished, start_result: startOf(mission), msg: finished ? 'Mission finished' : message };
}
