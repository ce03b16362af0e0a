import { performance } from 'node:perf_hooks';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json.ts';
import { SILENT_MS } from './action-form.ts';

/** actionlib_msgs/GoalStatus: not begun, or under way. */
const PENDING = 0;
export const ACTIVE = 1;
const PREEMPTING = 6;
/** To be cancelled before it begins; a server makes such an entry for ids it has never heard of, too. */
const RECALLING = 7;

/** One entry of what a server reports. */
export interface GoalStatus {
  readonly id: string;
  readonly code: number;
}

/** What an action server of ROS 1 publishes on its status topic: all the time, whether it has goals or not. */
export class Ros1Server {
  #reportedAt = performance.now();
  #hasReported = false;
  #goals = new Map<string, number>();
  readonly #recallingSince = new Map<string, number>();

  /** The connection is new: silence on the last one means nothing. */
  listenAnew(): void {
    this.#reportedAt = performance.now();
    this.#hasReported = false;
  }

  /** Whether it reports on this connection. */
  get isAlive(): boolean {
    return this.#hasReported && this.silence <= SILENT_MS;
  }

  /** For how many ms it has not reported, since the connection was made at most. */
  get silence(): number {
    return performance.now() - this.#reportedAt;
  }

  get reportedAt(): number {
    return this.#reportedAt;
  }

  /** Notes what it reports, and gives it in a form that can be read. */
  reported(message: JsonValue): readonly GoalStatus[] {
    const entries = statusesOf(message);
    this.#reportedAt = performance.now();
    this.#hasReported = true;
    this.#goals = new Map(entries.map(({ id, code }) => [id, code]));
    for (const id of this.#recallingSince.keys()) {
      if (this.#goals.get(id) !== RECALLING) this.#recallingSince.delete(id);
    }
    for (const { id, code } of entries) {
      if (code === RECALLING && !this.#recallingSince.has(id)) this.#recallingSince.set(id, this.#reportedAt);
    }
    return entries;
  }

  /** Whether it would act on a cancel of this goal: it has the goal, and is not cancelling it yet. */
  awaitsCancelOf(id: string): boolean {
    const code = this.#goals.get(id);
    return code === PENDING || code === ACTIVE;
  }

  /** Whether by its last report any goal is under way, no matter who sent it. */
  get isBusy(): boolean {
    return [...this.#goals].some(([id, code]) => {
      if (code === RECALLING) return performance.now() - (this.#recallingSince.get(id) ?? 0) < SILENT_MS;
      return isAlive(code);
    });
  }
}

/** Whether a status says that the server has the goal, and has not ended it. RECALLING does not. */
export function isAlive(code: number): boolean {
  return code === PENDING || code === ACTIVE || code === PREEMPTING;
}

function statusesOf(message: JsonValue): GoalStatus[] {
  const { status_list } = objectOf(message);
  if (!Array.isArray(status_list)) return [];
  return status_list.flatMap((entry) => {
    const { goal_id, status } = objectOf(entry);
    const { id } = objectOf(goal_id);
    return typeof id === 'string' && typeof status === 'number' ? [{ id, code: status }] : [];
  });
}

export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
