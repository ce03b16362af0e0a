import { performance } from 'node:perf_hooks';
import type { JsonValue } from '../../../json.ts';
import { robotUnavailable } from '../robot-unavailable.ts';
import { type Ending, Goal } from './goal.ts';

/** Most goals under way at once; more are not sent. */
const MOST_UNDER_WAY = 1000;
/** Most goals that are over and remembered; the oldest is forgotten first. */
const MOST_REMEMBERED = 1000;
/** Longest sentence of the robot that is kept, in characters. */
const MAX_MESSAGE = 300;

/**
 * The goals this link has sent. One that is over is remembered until somebody has waited for it once more, so that a
 * client that was cut off still learns how it ended.
 */
export class Goals {
  readonly #underWay = new Map<string, Goal>();
  readonly #remembered = new Map<string, Goal>();
  readonly #heardAt = new WeakMap<Goal, number>();
  /** Goals given up as cancelled of which the robot may not have heard yet. */
  readonly #abandoned = new Map<string, Goal>();

  /** @throws ServiceError `robot_unavailable` when too many are under way. */
  add(clientId: string, action: string): Goal {
    if (this.#underWay.size >= MOST_UNDER_WAY) {
      throw robotUnavailable('Too many goals are under way on the robot already; this one was not sent.');
    }
    const goal = new Goal(clientId, action);
    this.#underWay.set(goal.id, goal);
    this.heard(goal);
    return goal;
  }

  underWay(of: { readonly clientId?: string; readonly action?: string } = {}): Goal[] {
    const { clientId, action } = of;
    return [...this.#underWay.values()].filter(
      (goal) => (clientId ?? goal.clientId) === goal.clientId && (action ?? goal.action) === goal.action,
    );
  }

  find(id: JsonValue | undefined): Goal | undefined {
    return typeof id === 'string' ? this.#underWay.get(id) : undefined;
  }

  /** Under way, or over and not yet forgotten. */
  known(id: string): Goal | undefined {
    return this.#underWay.get(id) ?? this.#remembered.get(id);
  }

  /** One that was given up as cancelled, of which the robot still speaks. */
  abandoned(id: JsonValue | undefined): Goal | undefined {
    return typeof id === 'string' ? this.#abandoned.get(id) : undefined;
  }

  /** The robot has spoken of it. */
  heard(goal: Goal): void {
    this.#heardAt.set(goal, performance.now());
  }

  /** For how many ms the robot has not spoken of it, since it was sent at most. */
  silenceOf(goal: Goal): number {
    return performance.now() - (this.#heardAt.get(goal) ?? 0);
  }

  /** The robot says how a goal ended. Ids that are not ours are ignored. */
  ended(id: JsonValue | undefined, ending: Ending): void {
    const goal = this.find(id) ?? this.abandoned(id);
    if (goal) this.end(goal, ending);
  }

  end(goal: Goal, { result, message, ...rest }: Ending): void {
    if (this.#underWay.delete(goal.id)) keep(this.#remembered, goal);
    this.#abandoned.delete(goal.id);
    // Whoever waits later asks how it ended, not for the result: of a thousand goals that would be much.
    const wanted = goal.over.waiting > 0 ? result : null;
    goal.end({ ...rest, result: wanted, message: message.slice(0, MAX_MESSAGE) });
  }

  /** Takes a goal as cancelled though the robot has not said so; if it speaks of it later it is told again. */
  giveUp(goal: Goal): void {
    this.end(goal, { how: 'cancelled', result: null, message: 'Mission cancelled', assumed: 'gone' });
    keep(this.#abandoned, goal);
  }

  /** Nobody will say any more how it ended. */
  lose(goal: Goal, message: string): void {
    this.end(goal, { how: 'failed', result: null, message, assumed: 'lost' });
  }

  /** The action server is gone, and its goals with it. */
  serverGone(goal: Goal): void {
    const message = `The action server of ${goal.action} no longer reports this mission`;
    this.end(goal, { how: 'failed', result: null, message, assumed: 'gone' });
  }

  /** It was never sent, or has been waited for. */
  forget({ id }: Goal): void {
    this.#underWay.delete(id);
    this.#remembered.delete(id);
  }
}

function keep(goals: Map<string, Goal>, goal: Goal): void {
  goals.set(goal.id, goal);
  const [oldest] = goals.keys();
  if (goals.size > MOST_REMEMBERED && oldest !== undefined) goals.delete(oldest);
}
