import type { JsonObject } from '../../../kit/json.ts';
import type { RunEntry } from '../../../runs/run-entry.ts';
import type { Runs } from '../../../runs/runs.ts';
import { CANCELLED, NOT_FOUND, type Tracked } from '../mission-book.ts';
import type { SkillSequence } from './skill-sequence.ts';

/** Ended sequences that can still be asked for. */
const MAX_SEQUENCES = 100;

/** Runs and sequences as missions: what waits for missions and cancels them works on these, too. */
export class RunMissions {
  readonly #runs: Runs;
  readonly #sequences = new Map<string, SkillSequence>();

  constructor(runs: Runs) {
    this.#runs = runs;
  }

  add(sequence: SkillSequence): void {
    this.#sequences.set(sequence.id, sequence);
    for (const [id, { over }] of this.#sequences) {
      if (this.#sequences.size <= MAX_SEQUENCES) return;
      if (over.isOpen) this.#sequences.delete(id);
    }
  }

  find(id: unknown): Tracked | undefined {
    if (typeof id !== 'string') return undefined;
    const run = this.#runs.find(id);
    return run ? missionOf(run) : this.#sequences.get(id);
  }

  /** @returns the answer to a cancel. */
  cancel({ id, over }: Tracked): JsonObject {
    if (over.isOpen) return { cancelled: false, msg: NOT_FOUND };
    const sequence = this.#sequences.get(id);
    if (sequence) sequence.cancel();
    else this.#runs.stop(id);
    return { cancelled: true, msg: CANCELLED };
  }

  /** Cancels what a client has started. @returns how many there were. */
  cancelAllOf(clientId: string): number {
    const sequences = [...this.#sequences.values()].filter((each) => each.clientId === clientId && !each.over.isOpen);
    for (const sequence of sequences) sequence.cancel();
    const runs = this.#runs.underWay().filter((run) => run.ownerId === clientId && run.state !== 'stopping');
    for (const run of runs) this.#runs.stop(run.id);
    return sequences.length + runs.length;
  }

  /** The robot was stopped. @returns the ids of the runs that end. */
  stopAll(): string[] {
    const ids = this.#runs.stopAll();
    for (const sequence of this.#sequences.values()) sequence.stopped();
    return ids;
  }
}

export async function waitForStart(mission: Tracked, signal: AbortSignal): Promise<JsonObject> {
  await mission.begun.wait(signal);
  return startOf(mission);
}

export async function waitForEnd(mission: Tracked, signal: AbortSignal): Promise<JsonObject> {
  await mission.over.wait(signal);
  const { finished, message } = mission;
  return { awaited: finished, start_result: startOf(mission), msg: finished ? 'Mission finished' : message };
}

function startOf({ hasStarted, message }: Tracked): JsonObject {
  return hasStarted ? { started: true, msg: 'Mission started' } : { started: false, msg: message };
}

function missionOf(run: RunEntry): Tracked {
  return {
    id: run.id,
    clientId: run.ownerId,
    begun: run.begun,
    over: run.over,
    get hasStarted() {
      return run.hasStarted;
    },
    get finished() {
      return run.state === 'succeeded';
    },
    get message() {
      return run.state === 'failed'
        ? `Mission failed: ${run.error?.code}`
        : run.state === 'lost'
          ? 'Mission lost'
          : CANCELLED;
    },
  };
}
