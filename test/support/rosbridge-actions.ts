import type { WebSocket } from 'ws';
import type { JsonObject, JsonValue } from '../../functions/shared/kit/json.ts';

/** A goal the stand-in was sent, and what its action server does with it. */
export interface StandInGoal {
  readonly id: string;
  readonly action: string;
  readonly args: JsonValue;
  /** The action server has begun. */
  begin(): void;
  end(how: 'succeeded' | 'cancelled' | 'aborted', result?: JsonValue): void;
}

const ROS2_STATUS = { succeeded: 4, cancelled: 5, aborted: 6 } as const;
const ROS1_STATUS = { succeeded: 3, cancelled: 2, aborted: 4 } as const;
/** actionlib_msgs/GoalStatus, before the end. */
const [PENDING, ACTIVE, PREEMPTING, RECALLING] = [0, 1, 6, 7];
/** For how long actionlib keeps what is over, and what it was told to cancel and never had, among its statuses. */
const STATUS_KEPT_MS = 5_000;
/** Real servers report five times a second. */
const STATUS_EVERY_MS = 50;

/** What an action server of ROS 1 reports of one goal; `until` for one that is kept for a while only. */
interface Ros1Entry {
  readonly action: string;
  status: number;
  until: number;
}

/** The action servers of a robot behind rosbridge, of both generations of ROS. What they do is decided by the test. */
export abstract class StandInActions {
  readonly goals: StandInGoal[] = [];
  /** What the action server does when it gets a goal. */
  onGoal: (goal: StandInGoal) => void = (goal) => goal.begin();
  /** What it does when a goal is to be cancelled. */
  onCancel: (goal: StandInGoal) => void = (goal) => goal.end('cancelled');
  /** Actions whose server is gone: no status, no answer to anything, no such service. */
  readonly gone = new Set<string>();
  /** Results of ROS 1 get lost on their way. */
  losesResults = false;
  readonly #ros1Goals = new Map<string, Ros1Entry>();
  readonly #underWay = new Map<string, StandInGoal>();
  /** Goals of ROS 2 that are being cancelled; a server does not count them again. */
  readonly #cancelling = new Set<string>();
  readonly #reporting = setInterval(() => this.#report(), STATUS_EVERY_MS).unref();

  /** A node of the robot publishes. */
  abstract publish(topic: string, msg: JsonValue): void;

  /** The topics that somebody has subscribed to. */
  protected abstract subscribedTopics(): Iterable<string>;

  /** A goal of ROS 1 that somebody else has sent. */
  acceptForeignGoal(action: string, id: string): void {
    this.speakActionlib(`${action}/goal`, { goal_id: { id }, goal: {} });
  }

  /** The action server knows nothing of a goal: it has refused it, or was started anew. */
  forget(id: string): void {
    this.#underWay.delete(id);
    this.#ros1Goals.delete(id);
  }

  protected stopReporting(): void {
    clearInterval(this.#reporting);
  }

  /** action_msgs/srv/CancelGoal: zeros stand for every goal, an id that no goal has does nothing. */
  protected cancelByService(action: string, args: JsonValue): JsonValue {
    const { goal_info } = args as { goal_info: { goal_id: { uuid: number[] } } }; // as: the type of the service says so
    if (goal_info.goal_id.uuid.some((byte) => byte !== 0)) return { return_code: 2, goals_canceling: [] };
    return this.#cancelAll(action);
  }

  #cancelAll(action: string): JsonValue {
    const goals = [...this.#underWay.values()].filter(
      (goal) => goal.action === action && !(this.#cancelling.has(goal.id) && !this.#ros1Goals.has(goal.id)),
    );
    for (const { id } of goals) this.#cancelling.add(id);
    for (const goal of goals) this.cancel(goal.id);
    return { return_code: 0, goals_canceling: goals.map(({ id }) => ({ goal_id: { uuid: id } })) };
  }

  protected cancel(id: string): void {
    const goal = this.#underWay.get(id);
    if (!goal || this.gone.has(goal.action)) return;
    const entry = this.#ros1Goals.get(id);
    if (entry) entry.status = entry.status === ACTIVE || entry.status === PREEMPTING ? PREEMPTING : RECALLING;
    this.onCancel(goal);
  }

  /** As actionlib does: an id that the server never had it keeps as to be cancelled, anew with each cancel. */
  #cancelByTopic(action: string, id: string): void {
    if (this.gone.has(action)) return;
    if (id === '') this.#cancelAll(action);
    else if (this.#underWay.has(id)) this.cancel(id);
    else if ((this.#ros1Goals.get(id)?.status ?? RECALLING) === RECALLING) {
      this.#ros1Goals.set(id, { action, status: RECALLING, until: Date.now() + STATUS_KEPT_MS });
    }
  }

  #report(): void {
    for (const [id, { until }] of this.#ros1Goals) if (Date.now() > until) this.#ros1Goals.delete(id);
    for (const topic of this.subscribedTopics()) {
      const action = /^(.*)\/status$/.exec(topic)?.[1];
      if (action !== undefined && !this.gone.has(action)) this.#reportOf(action);
    }
  }

  #reportOf(action: string): void {
    const goals = [...this.#ros1Goals].filter(([, entry]) => entry.action === action);
    const status_list = goals.map(([id, { status }]) => ({ goal_id: { id }, status, text: '' }));
    this.publish(`${action}/status`, { status_list });
  }

  #accept(goal: StandInGoal): void {
    this.goals.push(goal);
    this.#underWay.set(goal.id, goal);
    this.onGoal(goal);
  }

  protected beginRos2(socket: WebSocket, { id, action, args = null }: JsonObject): Promise<void> {
    const about = { id: String(id), action: String(action) };
    return new Promise((resolve) => {
      this.#accept({
        ...about,
        args,
        begin: () => socket.send(JSON.stringify({ op: 'action_feedback', ...about, values: {} })),
        end: (how, values = {}) => {
          this.#underWay.delete(about.id);
          const status = ROS2_STATUS[how];
          socket.send(JSON.stringify({ op: 'action_result', ...about, values, status, result: true }));
          resolve();
        },
      });
    });
  }

  protected speakActionlib(topic: string, msg: JsonObject): void {
    const [, action = '', part] = /^(.*)\/(goal|cancel)$/.exec(topic) ?? [];
    if (part === 'cancel') this.#cancelByTopic(action, String(msg.id));
    if (part !== 'goal' || this.gone.has(action)) return;
    const goal_id = msg.goal_id as JsonObject; // as: the type of the message says so
    const id = String(goal_id.id);
    const entry: Ros1Entry = { action, status: PENDING, until: Number.POSITIVE_INFINITY };
    const isRecalled = this.#ros1Goals.has(id);
    this.#ros1Goals.set(id, entry);
    const goal: StandInGoal = {
      id,
      action,
      args: msg.goal ?? null,
      begin: () => {
        entry.status = ACTIVE;
        this.#reportOf(action);
      },
      end: (how, result = {}) => {
        this.#underWay.delete(id);
        entry.status = ROS1_STATUS[how];
        entry.until = Date.now() + STATUS_KEPT_MS;
        if (this.losesResults) return;
        this.publish(`${action}/result`, { status: { goal_id, status: entry.status, text: '' }, result });
      },
    };
    // A goal that comes after its cancel never begins.
    if (isRecalled) goal.end('cancelled');
    else this.#accept(goal);
  }
}
