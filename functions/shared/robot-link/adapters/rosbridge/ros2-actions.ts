import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '../../../kit/backoff.ts';
import type { JsonObject, JsonValue } from '../../../kit/json.ts';
import { Latch } from '../../../kit/latch.ts';
import { type ActionForm, CANCEL_AGAIN_MS, type CancelAllAnswer, SILENT_MS } from './action-form.ts';
import type { Connections, Lane } from './connections.ts';
import type { Ending, Goal } from './goal.ts';
import type { Goals } from './goals.ts';
import { NEVER } from './never.ts';
import { isAbsent, refusal, type ServiceRequest, type Services } from './services.ts';

/** action_msgs/msg/GoalStatus */
const SUCCEEDED = 4;
const CANCELED = 5;
const ABORTED = 6;
const CANCEL_REJECTED = 1;
const PROBE_MS = 2_000;
/**
 * A server that answers no probe for so long is asked again later each time: rosbridge keeps a busy thread for each.
 */
const PROBE_ANSWER_MS = 3_000;
const MAX_PROBE_PAUSE_MS = 60_000;
/** So many times in a row an action server has to be absent before its goals are taken as lost. */
const ABSENCES = 2;

interface Ros2Parts {
  readonly connections: Connections;
  readonly services: Services;
  readonly goals: Goals;
}

/** Actions of ROS 2, which rosbridge speaks itself (protocol, sections 3.3.12 to 3.3.15). */
export class Ros2Actions implements ActionForm {
  /** When that connection is lost the server forgets whose goals they were; they go on. */
  readonly toldOver = 'ordinary';
  readonly #connections: Connections;
  readonly #services: Services;
  readonly #goals: Goals;
  readonly #probes = new Set<AbortController>();
  readonly #absences = new Map<string, number>();
  /** Servers that did not answer, and when they are asked again. */
  readonly #pauses = new Map<string, { readonly until: number; readonly backoff: Backoff }>();
  readonly #watch = setInterval(() => this.#probeServers(), PROBE_MS).unref();
  #listening = new Latch();
  #lastSent: Goal | undefined;

  constructor({ connections, services, goals }: Ros2Parts) {
    this.#connections = connections;
    this.#services = services;
    this.#goals = goals;
    this.#listening.open();
  }

  prepare(): void {}

  get listening(): boolean {
    return this.#listening.isOpen;
  }

  /** A round trip would have to wait behind the goal itself. */
  goalsTaken(signal: AbortSignal): Promise<void> {
    return this.#connections.ordinary.arrived(signal);
  }

  whenListening(signal: AbortSignal): Promise<void> {
    return this.#listening.wait(signal);
  }

  get busyWith(): Goal | undefined {
    return this.listening ? undefined : this.#lastSent;
  }

  async isServed(name: string, signal: AbortSignal): Promise<boolean> {
    const limit = AbortSignal.timeout(PROBE_ANSWER_MS);
    try {
      const answer = await this.#services.callBeside(probeOf(name), AbortSignal.any([signal, limit]));
      return !isAbsent(answer);
    } catch (error) {
      if (!limit.aborted) throw error;
      return false;
    }
  }

  send(goal: Goal, type: string, args: JsonValue, arrivedAt: number | undefined): void {
    const { id, action } = goal;
    const message = { op: 'send_action_goal', id, action, action_type: type, args, feedback: true };
    this.#connections.sendCommand(message, arrivedAt);
    this.#lastSent = goal;
    this.#listening = this.#listenAgain();
  }

  cancel({ id, action }: Goal): void {
    this.#connections.urgent.sendUrgently({ op: 'cancel_action_goal', id, action });
  }

  /** A goal that had not reached its action server could not be cancelled there. */
  cancelAgain(goal: Goal): void {
    this.cancel(goal);
  }

  async cancelAll(name: string, signal: AbortSignal): Promise<CancelAllAnswer> {
    // The call may have to wait behind another; these do not.
    for (const goal of this.#goals.underWay({ action: name })) this.cancel(goal);
    const request = cancelRequest(name, new Array<number>(16).fill(0));
    const answer = await this.#services.callBeside(request, signal);
    if (isAbsent(answer)) return 'absent';
    const values = this.#services.valuesOf(request.service, answer) as JsonObject | null; // as: looked at member by member
    if (values?.return_code === CANCEL_REJECTED) throw refusal(`${name} refuses to cancel its goals`);
    if (!Array.isArray(values?.goals_canceling)) return undefined;
    const count = values.goals_canceling.length;
    const ours = this.#goals.underWay({ action: name });
    if (count >= ours.length) for (const goal of ours) goal.accept();
    return count;
  }

  /** Servers do not say when a goal is refused: one that was never reported is given up. */
  async allEnded(_name: string, goals: readonly Goal[], signal: AbortSignal): Promise<undefined> {
    for (;;) {
      const underWay = goals.filter(({ ending }) => !ending);
      if (underWay.length === 0) return;
      for (const goal of underWay) {
        if (!goal.isAccepted && this.#goals.silenceOf(goal) > SILENT_MS) this.#goals.giveUp(goal);
        else if (this.#connections.urgent.connected) this.cancelAgain(goal);
      }
      await sleep(CANCEL_AGAIN_MS, undefined, { signal });
    }
  }

  received({ op, id, values = null, status, result }: JsonObject): void {
    if (op === 'action_result') this.#goals.ended(id, endingOf(values, status, result));
    if (op !== 'action_feedback') return;
    const goal = this.#goals.find(id);
    if (goal) this.#goals.markSeen(goal);
    goal?.start();
    const abandoned = this.#goals.abandoned(id);
    if (abandoned) this.cancel(abandoned);
  }

  opened(lane: Lane): void {
    if (lane === 'blocking') this.#absences.clear();
  }

  makeWay(): void {
    if (this.#probes.size === 0) return;
    for (const probe of this.#probes) probe.abort();
    this.#connections.blocking.reset();
  }

  close(): void {
    clearInterval(this.#watch);
  }

  /**
   * By default the server looks at nothing else before a goal has ended, and would carry out late what was sent in the
   * meantime. A round trip behind the goal shows when it listens again.
   */
  #listenAgain(): Latch {
    const listening = new Latch();
    this.#services
      .roundTrip('ordinary', NEVER)
      .catch(() => undefined)
      .finally(() => listening.open());
    return listening;
  }

  /**
   * Nothing reports that an action server is gone. A live one answers the order to cancel a goal that never was, and
   * does nothing; for one that is gone the server of rosbridge says that there is no such service.
   */
  #probeServers(): void {
    if (!this.#connections.blocking.connected || this.#services.isBlocked(0)) return;
    const actions = new Set(this.#goals.underWay().map(({ action }) => action));
    for (const action of actions) {
      if (performance.now() >= (this.#pauses.get(action)?.until ?? 0)) this.#probe(action);
    }
  }

  #probe(action: string): void {
    const probe = new AbortController();
    const deadline = AbortSignal.any([probe.signal, AbortSignal.timeout(PROBE_ANSWER_MS)]);
    this.#probes.add(probe);
    this.#services
      .callBeside(probeOf(action), deadline)
      .then(
        (answer) => this.#noteProbe(action, isAbsent(answer)),
        () => {
          const backoff = this.#pauses.get(action)?.backoff ?? new Backoff(2 * PROBE_MS, MAX_PROBE_PAUSE_MS);
          this.#pauses.set(action, { until: performance.now() + backoff.fail(), backoff });
          if (!probe.signal.aborted) this.#connections.blocking.reset();
        },
      )
      .finally(() => this.#probes.delete(probe));
  }

  #noteProbe(action: string, absent: boolean): void {
    const absences = absent ? (this.#absences.get(action) ?? 0) + 1 : 0;
    this.#absences.set(action, absences);
    this.#pauses.delete(action);
    if (absences < ABSENCES) return;
    for (const goal of this.#goals.underWay({ action })) this.#goals.serverGone(goal);
  }
}

/** action_msgs/srv/CancelGoal for one goal; zeros mean every goal. */
function cancelRequest(action: string, uuid: readonly number[]): ServiceRequest {
  const goal_info = { goal_id: { uuid: [...uuid] }, stamp: { sec: 0, nanosec: 0 } };
  return { service: `${action}/_action/cancel_goal`, type: 'action_msgs/srv/CancelGoal', args: { goal_info } };
}

/** An order to cancel a goal that never was: only a live server answers it. */
function probeOf(action: string): ServiceRequest {
  return cancelRequest(action, [...randomBytes(16)]);
}

function endingOf(values: JsonValue, status: JsonValue | undefined, result: JsonValue | undefined): Ending {
  if (result === false) {
    const message = typeof values === 'string' && values !== '' ? values : 'the robot does not say why';
    return { how: 'failed', result: null, message, isRefused: true };
  }
  // Servers older than the status field say only that there is a result.
  if (status === SUCCEEDED || status === undefined) return { how: 'succeeded', result: values, message: 'Finished' };
  if (status === CANCELED) return { how: 'cancelled', result: values, message: 'Mission cancelled' };
  const message = status === ABORTED ? 'the robot aborted it' : `the robot ended it with status ${status}`;
  return { how: 'failed', result: values, message };
}
