import { performance } from 'node:perf_hooks';
import { BoundedMap } from '../../../kit/bounded-map.ts';
import type { JsonValue } from '../../../kit/json.ts';
import type { Sender } from '../../port.ts';
import { MAX_REMEMBERED, MissionBook } from '../mission-book.ts';
import { type Ending, Goal, type GoalOrder } from './goal.ts';

/** Longest sentence of the robot that is kept, in characters. */
const MAX_MESSAGE = 300;

/** The goals this link has sent. */
export class Goals extends MissionBook<Goal> {
  readonly #seenAt = new WeakMap<Goal, number>();
  /** Goals given up as cancelled; the robot may not know them yet. */
  readonly #abandoned = new BoundedMap<string, Goal>(MAX_REMEMBERED);

  constructor() {
    super('goals');
  }

  /** @throws ServiceError `busy` when the key has its share of those under way. */
  add({ clientId, keyId }: Pick<Sender, 'clientId' | 'keyId'>, order: GoalOrder): Goal {
    const goal = this.begin(keyId, () => new Goal(clientId, order));
    this.markSeen(goal);
    return goal;
  }

  override underWay(of: { readonly clientId?: string; readonly action?: string } = {}): Goal[] {
    const { clientId, action } = of;
    return super
      .underWay()
      .filter((goal) => (clientId ?? goal.clientId) === goal.clientId && (action ?? goal.action) === goal.action);
  }

  /** One that was given up as cancelled and that the robot still reports. */
  abandoned(id: JsonValue | undefined): Goal | undefined {
    return typeof id === 'string' ? this.#abandoned.get(id) : undefined;
  }

  /** The robot has reported it. */
  markSeen(goal: Goal): void {
    this.#seenAt.set(goal, performance.now());
  }

  /** For how many ms the robot has not reported it, since it was sent at most. */
  silenceOf(goal: Goal): number {
    return performance.now() - (this.#seenAt.get(goal) ?? 0);
  }

  /** The robot says how a goal ended. Ids that are not ours are ignored. */
  ended(id: JsonValue | undefined, ending: Ending): void {
    const goal = this.find(id) ?? this.abandoned(id);
    if (goal) this.end(goal, ending);
  }

  end(goal: Goal, { result, message, ...rest }: Ending): void {
    this.remember(goal);
    this.#abandoned.delete(goal.id);
    // Later waits need only how it ended; the results of a thousand goals would take much memory.
    const wanted = goal.over.waiting > 0 ? result : null;
    goal.end({ ...rest, result: wanted, message: message.slice(0, MAX_MESSAGE) });
  }

  /**
   * Takes a goal as cancelled though the robot has not said so; if it reports the goal later, it is cancelled again.
   */
  giveUp(goal: Goal): void {
    this.end(goal, { how: 'cancelled', result: null, message: 'Mission cancelled', assumed: 'gone' });
    this.#abandoned.set(goal.id, goal);
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
}
