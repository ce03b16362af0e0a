import { performance } from 'node:perf_hooks';
import type { JsonObject, JsonValue } from '../../../json.ts';
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
  #goals = new Map<string, number>();
  readonly #recallingSince = new Map<string, number>();

  /** The connection is new: what was not heard over the last one says nothing. */
  listenAnew(): void {
    this.#reportedAt = performance.now();
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
    this.#goals = new Map(entries.map(({ id, code }) => [id, code]));
    for (const id of this.#recallingSince.keys()) {
      if (this.#goals.get(id) !== RECALLING) this.#recallingSince.delete(id);
    }
    for (const { id, code } of entries) {
      if (code === RECALLING && !this.#recallingSince.has(id)) this.#recallingSince.set(id, this.#reportedAt);
    }
    return entries;
  }

  /** Whether it would look at the order to cancel this goal: one it was told already it cancels, or has never had. */
  awaitsCancelOf(id: string): boolean {
    const code = this.#goals.get(id);
    return code === PENDING || code === ACTIVE;
  }

  /** Whether by its last report something is under way, whoever sent it. */
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
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
