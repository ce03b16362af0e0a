import type { JsonObject, JsonValue } from '../../../json.ts';
import type { ActionForm, GoalReports } from './action-form.ts';
import type { Ending, Goal } from './goal.ts';
import type { Lanes } from './lanes.ts';
import type { Topics } from './topics.ts';

/** actionlib_msgs/GoalStatus */
const ACTIVE = 1;
const ENDINGS: Readonly<Record<number, Ending['how']>> = {
  2: 'cancelled', // PREEMPTED
  3: 'succeeded',
  4: 'failed', // ABORTED
  5: 'failed', // REJECTED
  8: 'cancelled', // RECALLED
  9: 'failed', // LOST
};
const NOW = { secs: 0, nsecs: 0 };

/** Actions of ROS 1: five topics by the conventions of actionlib. */
export class Ros1Actions implements ActionForm {
  readonly tellsAlways = true;
  /** A goal is a message like any other here. */
  readonly listening = true;
  readonly #lanes: () => Lanes;
  readonly #topics: Topics;
  readonly #reports: GoalReports;

  constructor(lanes: () => Lanes, topics: Topics, reports: GoalReports) {
    this.#lanes = lanes;
    this.#topics = topics;
    this.#reports = reports;
  }

  prepare(name: string, type: string): void {
    this.#topics.advertise(`${name}/cancel`, 'actionlib_msgs/GoalID', 'urgent');
    if (type === '') return;
    this.#topics.advertise(`${name}/goal`, `${type}Goal`);
    this.#topics.follow({ name: `${name}/result`, type: `${type}Result`, throttleMs: 0 }, (message) => {
      const { status, result = null } = objectOf(message);
      this.#noteStatus(status, result);
    });
    const statuses = { name: `${name}/status`, type: 'actionlib_msgs/GoalStatusArray', throttleMs: 0 };
    this.#topics.follow(statuses, (message) => {
      const { status_list } = objectOf(message);
      for (const status of Array.isArray(status_list) ? status_list : []) this.#noteProgress(status);
    });
  }

  send({ id, action }: Goal, _type: string, args: JsonValue): void {
    this.#lanes().ordinary.send({
      op: 'publish',
      topic: `${action}/goal`,
      msg: { goal_id: { id, stamp: NOW }, goal: args },
    });
  }

  async whenListening(): Promise<void> {}

  cancel({ id, action }: Goal): void {
    this.#lanes().urgent.sendUrgently({ op: 'publish', topic: `${action}/cancel`, msg: { id, stamp: NOW } });
  }

  /** An empty id with no time stands for every goal. Nobody confirms it; goals of ours say that they have ended. */
  async cancelAll(name: string): Promise<undefined> {
    this.#lanes().urgent.sendUrgently({ op: 'publish', topic: `${name}/cancel`, msg: { id: '', stamp: NOW } });
  }

  received(): void {}

  #noteProgress(status: JsonValue): void {
    const { goal_id, status: code } = objectOf(status);
    if (typeof code !== 'number' || ENDINGS[code] !== undefined) return;
    this.#reports.mentioned(objectOf(goal_id).id, code >= ACTIVE);
  }

  #noteStatus(status: JsonValue | undefined, result: JsonValue): void {
    const { goal_id, status: code, text } = objectOf(status);
    const how = typeof code === 'number' ? ENDINGS[code] : undefined;
    if (!how) return;
    const words = typeof text === 'string' && text !== '' ? text : undefined;
    const message =
      how === 'cancelled'
        ? 'Mission cancelled'
        : (words ?? (how === 'succeeded' ? 'Finished' : 'the robot does not say why'));
    this.#reports.ended(objectOf(goal_id).id, { how, result, message });
  }
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
