import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../../errors.ts';
import type { JsonObject } from '../../../kit/json.ts';
import type { SendOptions, StopReport } from '../../port.ts';
import { linkBroken } from '../robot-errors.ts';
import type { CancelAllAnswer } from './action-form.ts';
import type { Goal } from './goal.ts';
import type { MappedPublication, Mapping, ServiceCall } from './mapping.ts';
import { requireSuccess, type Tools } from './run-way.ts';
import { refusal } from './services.ts';
import { standsStill } from './standstill.ts';

/** How long what was sent before may take to be looked at, before its connection is ended. */
const CLEAR_MS = 500;
/** As above, when the server may be busy with a goal of which it has not spoken itself. */
const CLEAR_BEHIND_GOAL_MS = 5_000;
const RECHECK_MS = 100;
/** A call of an earlier stop that waits for so long may keep the server from looking at those of this one. */
const BLOCKED_MS = 500;
/** How long before its deadline a stop says what it still waits for. */
const REPORT_AHEAD_MS = 500;
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * One stop of the robot. What the mapping says goes out at once, ahead of whatever waits, and once more when nothing
 * that was sent before can reach the robot any more. What fails keeps nothing else from going out.
 */
export class StopRun {
  readonly #tools: Tools;
  readonly #mapping: Mapping;
  readonly #actions: readonly string[];
  readonly #goals: readonly Goal[];
  readonly #missing = new Set<string>();
  readonly #limit = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal;
  /** What is under way; a part that fails ends no other. */
  readonly #work: Promise<unknown>[] = [];
  #isOver = false;

  constructor(tools: Tools, mapping: Mapping, actions: readonly string[], { deadline, signal }: SendOptions) {
    this.#tools = tools;
    this.#mapping = mapping;
    this.#actions = actions;
    this.#goals = tools.goals.underWay();
    this.#signal = AbortSignal.any([signal, this.#limit.signal]);
    setMaxListeners(0, this.#signal); // as many as the mapping has actions, services and topics to stop
    const left = Math.max(0, deadline - tools.clock());
    const limitMs = Math.min(left - Math.min(REPORT_AHEAD_MS, left / 10), MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.abort(notConfirmed(this.#missing)), limitMs).unref();
  }

  /** Ends the waiting; what was sent stays sent. */
  abort(error: unknown): void {
    this.#limit.abort(error);
  }

  /**
   * Stops the robot. Settles when the robot has confirmed it.
   * @throws ServiceError `robot_error`, `robot_timeout` when it does not; `robot_unavailable` when the link breaks.
   */
  async run(): Promise<StopReport> {
    try {
      return await this.#stop();
    } finally {
      void Promise.allSettled(this.#work).then(() => {
        this.#isOver = true;
        clearTimeout(this.#timer);
      });
    }
  }

  async #stop(): Promise<StopReport> {
    const { stop, unconfirmedStop } = this.#mapping;
    const { connections, services } = this.#tools;
    this.#tools.form.makeWay();
    if (services.isBlocked(BLOCKED_MS)) connections.blocking.reset();
    const cleared = this.#await('earlier commands may still reach the robot', this.#clear());
    const published = stop.publish.map((publication) => this.#publish(publication, cleared));
    for (const call of stop.service) void this.#call(call).catch(() => undefined);
    const firstCounts = this.#actions.map((name) =>
      this.#tools.form.cancelAll(name, this.#signal).catch(() => undefined),
    );
    const cancelled = cleared.then(() => Promise.all(this.#actions.map((name) => this.#cancelAll(name))));
    const called = cleared.then(() =>
      Promise.all(stop.service.map((call) => this.#await(`${call.name} has not answered`, this.#call(call)))),
    );
    this.#work.push(cancelled, called, ...published);
    const [counts] = await Promise.all([cancelled, called, ...published]);
    if (stop.publish.length + stop.service.length === 0 && counts.every((count) => count === 'absent')) {
      throw refusal('Nobody on the robot could be told to stop: none of its actions is there');
    }
    // Only now: a robot that was about to move would have looked still before.
    if (stop.still) {
      const missing = `${stop.still.name} does not show that it stands still`;
      const unfit = (problem: string) => void (this.#signal.aborted || this.#missing.add(problem));
      // Reports that were delayed on their way describe an earlier state.
      await this.#await(missing, services.roundTrip('urgent', this.#signal));
      await this.#await(missing, standsStill(this.#tools.topics, stop.still, this.#signal, unfit));
    }
    const lost = this.#goals.find(({ ending }) => ending?.assumed === 'lost');
    if (lost) throw refusal(`All was sent, but how the goal of ${lost.action} ended is not known`);
    if (unconfirmedStop)
      throw refusal(`All was sent, but the robot cannot confirm it: ${unconfirmedStop}, names no way`);
    return { stopped: true, ...this.#count([...(await Promise.all(firstCounts)), ...counts]) };
  }

  /** Notes what is missing while it is waited for. */
  async #await<T>(missing: string, work: Promise<T>): Promise<T> {
    this.#missing.add(missing);
    try {
      return await work;
    } catch (error) {
      // Timers do not pass the reason of a signal on.
      throw this.#signal.aborted ? this.#signal.reason : error;
    } finally {
      // What is still missing when the time is over goes into the error.
      if (!this.#signal.aborted) this.#missing.delete(missing);
    }
  }

  /** Settles when nothing that was sent before can reach the robot any more. */
  async #clear(): Promise<void> {
    await Promise.all([this.#clearOrdinary(), this.#tools.jog?.clear(this.#signal)]);
  }

  /**
   * Settles when the server has looked at every command that was sent before, or can get none of them any more since
   * their connection was ended.
   */
  async #clearOrdinary(): Promise<void> {
    const { connections, services } = this.#tools;
    if (!connections.ordinary.connected) return connections.lateCommandsGone(this.#signal);
    let isClear = false;
    // The server may call each service in a thread of its own, where a round trip overtakes it: those get a moment.
    const calls = Promise.race([services.motionAnswered(), sleep(CLEAR_MS, undefined, { ref: false })]);
    const answered = services.roundTrip('ordinary', this.#signal).catch(() => this.#signal.throwIfAborted());
    const clear = answered.then(() => {
      isClear = true;
    });
    const since = performance.now();
    try {
      await Promise.race([clear, sleep(CLEAR_MS, undefined, { ref: false })]);
      while (!isClear && this.#isBehindGoal(performance.now() - since)) {
        await Promise.race([clear, sleep(RECHECK_MS, undefined, { ref: false })]);
      }
    } finally {
      if (!isClear && !this.#isBehindGoal(Number.POSITIVE_INFINITY)) connections.cutCommands();
    }
    await calls;
    await connections.lateCommandsGone(this.#signal);
  }

  /**
   * Whether a goal keeps the server from answering: nothing is ever sent behind one, so nothing is held back either.
   */
  #isBehindGoal(ms: number): boolean {
    const goal = this.#tools.form.busyWith;
    if (!goal || goal.ending) return false;
    return goal.hasStarted || (goal.isAccepted && ms < CLEAR_BEHIND_GOAL_MS);
  }

  /**
   * Publishes as often as the mapping says, and once more when the way is clear. What is repeated at all is repeated
   * until the stop is over: a late command or a goal that has not ended yet may still move the robot.
   */
  async #publish({ name, message, times, every_ms }: MappedPublication, cleared: Promise<void>): Promise<void> {
    const { connections, services, publications } = this.#tools;
    const publication = publications.begin(name);
    const frame = { op: 'publish', id: publication.id, topic: name, msg: message.fill({}) };
    try {
      connections.urgent.sendUrgently(frame);
      if (times > 1) void this.#repeat(frame, every_ms);
      await Promise.all([cleared, sleep((times - 1) * every_ms, undefined, { ref: false })]);
      if (!connections.urgent.connected) throw linkBroken();
      connections.urgent.sendUrgently(frame);
      await this.#await(`what was published to ${name} was not taken`, services.roundTrip('urgent', this.#signal));
      if (publication.error !== undefined) throw refusal(`The robot refuses: ${publication.error}`);
    } finally {
      publications.end(publication);
    }
  }

  async #repeat(frame: JsonObject, everyMs: number): Promise<void> {
    for (;;) {
      await sleep(everyMs, undefined, { ref: false });
      if (this.#isOver) return;
      try {
        this.#tools.connections.urgent.send(frame);
      } catch {
        // The link is slow or down at the moment; the next one may pass.
      }
    }
  }

  /** Cancels all goals of an action and waits for their end. Where nobody carries it out, none of ours is either. */
  async #cancelAll(name: string): Promise<CancelAllAnswer> {
    const { form, goals } = this.#tools;
    const ours = this.#goals.filter(({ action }) => action === name);
    const missing = `a goal of ${name} is still under way`;
    return this.#await(
      missing,
      (async () => {
        const count = await form.cancelAll(name, this.#signal);
        if (count === 'absent') for (const goal of ours) goals.giveUp(goal);
        return (await form.allEnded(name, ours, this.#signal)) ?? count;
      })(),
    );
  }

  async #call(call: ServiceCall): Promise<void> {
    const { services } = this.#tools;
    const request = { service: call.name, type: call.type, args: call.args.fill({}) };
    const answer = await services.callBeside(request, this.#signal);
    requireSuccess(call, { answer: services.valuesOf(call.name, answer) });
  }

  /** How many missions were cancelled, where the robot says so, or at least how many of ours. */
  #count(answers: readonly CancelAllAnswer[]): Partial<StopReport> {
    if (this.#actions.length === 0) return {};
    const ours = this.#goals.filter(({ ending }) => ending?.how === 'cancelled').length;
    const told = answers.filter((count) => typeof count === 'number');
    const sum = told.reduce((total, count) => total + count, 0);
    return { cancelled_missions: Math.max(ours, sum) };
  }
}

function notConfirmed(missing: ReadonlySet<string>): ServiceError {
  const reasons = [...missing].join('; ');
  return new ServiceError('robot_timeout', {
    detail: `The robot was told to stop, but has not confirmed it in time: ${reasons}.`,
  });
}
