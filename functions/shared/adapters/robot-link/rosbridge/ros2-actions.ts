import type { JsonObject, JsonValue } from '../../../json.ts';
import { Moment } from '../moment.ts';
import type { ActionForm, GoalReports } from './action-form.ts';
import type { Ending, Goal } from './goal.ts';
import type { Lanes } from './lanes.ts';
import { isAbsent, type Services } from './services.ts';

/** action_msgs/msg/GoalStatus */
const SUCCEEDED = 4;
const CANCELED = 5;
const ABORTED = 6;
/** action_msgs/srv/CancelGoal: every goal that there is. */
const EVERY_GOAL = { goal_info: { goal_id: { uuid: new Array<number>(16).fill(0) }, stamp: { sec: 0, nanosec: 0 } } };
const CANCEL_REJECTED = 1;
/** A service that is nowhere. */
const PROBE = '/robot_rest/is_anybody_listening';

/** Actions of ROS 2, which rosbridge speaks itself (protocol, sections 3.3.12 to 3.3.15). */
export class Ros2Actions implements ActionForm {
  /** At a lost connection the server forgets whose goals they were; they go on. */
  readonly tellsAlways = false;
  readonly #lanes: () => Lanes;
  readonly #services: Services;
  readonly #reports: GoalReports;
  #listening = new Moment();

  constructor(lanes: () => Lanes, services: Services, reports: GoalReports) {
    this.#lanes = lanes;
    this.#services = services;
    this.#reports = reports;
    this.#listening.pass();
  }

  prepare(): void {}

  get listening(): boolean {
    return this.#listening.passed;
  }

  whenListening(signal: AbortSignal): Promise<void> {
    return this.#listening.wait(signal);
  }

  send(goal: Goal, type: string, args: JsonValue): void {
    const { id, action } = goal;
    this.#lanes().ordinary.send({ op: 'send_action_goal', id, action, action_type: type, args, feedback: true });
    this.#listening = this.#probe();
  }

  cancel({ id, action }: Goal): void {
    this.#lanes().urgent.sendUrgently({ op: 'cancel_action_goal', id, action });
  }

  /**
   * By default the server looks at nothing else before a goal has ended, and would carry out late what was sent in the
   * meantime. A call that it answers at once, since there is no such service, tells when it listens again.
   */
  #probe(): Moment {
    const listening = new Moment();
    const answered = async () => this.#services.call(PROBE, undefined, {}, new AbortController().signal);
    void answered()
      .catch(() => undefined)
      .finally(() => listening.pass());
    return listening;
  }

  async cancelAll(name: string, signal: AbortSignal): Promise<number | 'absent' | undefined> {
    const service = `${name}/_action/cancel_goal`;
    const answer = await this.#services.callUrgently(service, 'action_msgs/srv/CancelGoal', EVERY_GOAL, signal);
    if (answer.result === false && isAbsent(answer)) return 'absent';
    const values = this.#services.valuesOf(service, answer) as JsonObject | null; // as: looked at member by member
    if (values?.return_code === CANCEL_REJECTED) throw this.#services.refused(`${name} refuses to cancel its goals`);
    return Array.isArray(values?.goals_canceling) ? values.goals_canceling.length : undefined;
  }

  received({ op, id, values = null, status, result }: JsonObject): void {
    if (op === 'action_feedback') this.#reports.mentioned(id, true);
    if (op === 'action_result') this.#reports.ended(id, endingOf(values, status, result));
  }
}

function endingOf(values: JsonValue, status: JsonValue | undefined, result: JsonValue | undefined): Ending {
  if (result === false) {
    const message = typeof values === 'string' && values !== '' ? values : 'the robot does not say why';
    return { how: 'failed', result: null, message };
  }
  // Servers older than the status field say only that there is a result.
  if (status === SUCCEEDED || status === undefined) return { how: 'succeeded', result: values, message: 'Finished' };
  if (status === CANCELED) return { how: 'cancelled', result: values, message: 'Mission cancelled' };
  const message = status === ABORTED ? 'the robot aborted it' : `the robot ended it with status ${status}`;
  return { how: 'failed', result: values, message };
}
