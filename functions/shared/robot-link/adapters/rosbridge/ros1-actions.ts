import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '../../../kit/json.ts';
import { type ActionForm, CANCEL_AGAIN_MS, SILENT_MS } from './action-form.ts';
import type { Connections, Lane } from './connections.ts';
import type { Ending, Goal } from './goal.ts';
import type { Goals } from './goals.ts';
import { ACTIVE, isAlive, objectOf, Ros1Server } from './ros1-server.ts';
import type { Services } from './services.ts';
import type { Topics } from './topics.ts';

/** actionlib_msgs/GoalStatus */
const ENDINGS: Readonly<Record<number, Ending['how']>> = {
  2: 'cancelled', // PREEMPTED
  3: 'succeeded',
  4: 'failed', // ABORTED
  5: 'failed', // REJECTED
  8: 'cancelled', // RECALLED
  9: 'failed', // LOST
};
const NOW = { secs: 0, nsecs: 0 };
const WATCH_MS = 250;
const REPORT_CHECK_MS = 20;
/** A mission that is not reported for so long is lost. */
const LOST_MS = 5_000;
/** How long the result of a goal may come after the status that says that it has ended. */
const RESULT_LATE_MS = 1_000;

interface Ros1Parts {
  readonly connections: Connections;
  readonly services: Services;
  readonly topics: Topics;
  readonly goals: Goals;
}

/** Actions of ROS 1: five topics by the conventions of actionlib. */
export class Ros1Actions implements ActionForm {
  readonly toldOver = 'urgent';
  /** A goal is a message like any other here. */
  readonly listening = true;
  readonly busyWith = undefined;
  readonly #connections: Connections;
  readonly #services: Services;
  readonly #topics: Topics;
  readonly #goals: Goals;
  readonly #servers = new Map<string, Ros1Server>();
  /** Goals that have ended by their status, whose result has not come; and since when. */
  readonly #resultsMissing = new Map<string, { readonly ending: Ending; readonly since: number }>();
  readonly #watch = setInterval(() => this.#lookAfterGoals(), WATCH_MS).unref();

  constructor({ connections, services, topics, goals }: Ros1Parts) {
    this.#connections = connections;
    this.#services = services;
    this.#topics = topics;
    this.#goals = goals;
  }

  prepare(name: string, type: string): void {
    this.#topics.advertise(`${name}/cancel`, 'actionlib_msgs/GoalID', 'urgent');
    const server = new Ros1Server();
    this.#servers.set(name, server);
    this.#follow(`${name}/status`, 'actionlib_msgs/GoalStatusArray', (message) => this.#noteReport(server, message));
    if (type === '') return;
    this.#topics.advertise(`${name}/goal`, `${type}Goal`);
    this.#follow(`${name}/result`, `${type}Result`, (message) => {
      const { status, result = null } = objectOf(message);
      const { goal_id, status: code, text } = objectOf(status);
      const ending = endingOf(code, text, result);
      if (ending) this.#goals.ended(objectOf(goal_id).id, ending);
    });
  }

  async isServed(name: string, signal: AbortSignal): Promise<boolean> {
    const server = this.#servers.get(name);
    if (!server) return false;
    // The first report on a new connection may still be on its way.
    while (!server.isAlive && server.silence <= SILENT_MS) await sleep(REPORT_CHECK_MS, undefined, { signal });
    return server.isAlive;
  }

  send({ id, action }: Goal, _type: string, args: JsonValue, arrivedAt: number | undefined): void {
    const msg = { goal_id: { id, stamp: NOW }, goal: args };
    this.#connections.sendCommand({ op: 'publish', id, topic: `${action}/goal`, msg }, arrivedAt);
  }

  goalsTaken(signal: AbortSignal): Promise<void> {
    return this.#services.roundTrip('ordinary', signal);
  }

  async whenListening(): Promise<void> {}

  cancel({ id, action }: Goal): void {
    this.#publishCancel(action, id);
  }

  /** An id that a server does not know it keeps for 5 s after each cancel; that would keep itself alive. */
  cancelAgain(goal: Goal): void {
    if (this.#servers.get(goal.action)?.awaitsCancelOf(goal.id)) this.cancel(goal);
  }

  /** An empty id with no time means every goal. Nobody confirms it; the status topic shows it. */
  async cancelAll(name: string): Promise<undefined> {
    this.#publishCancel(name, '');
  }

  async allEnded(name: string, goals: readonly Goal[], signal: AbortSignal): Promise<'absent' | undefined> {
    const server = this.#servers.get(name);
    // Reports that were delayed on their way describe an earlier state.
    await this.#services.roundTrip('urgent', signal);
    const since = performance.now();
    for (;;) {
      // A link that is held up is silent, too; its server may be there.
      if (server && server.silence > SILENT_MS) await this.#services.roundTrip('urgent', signal);
      const underWay = goals.filter(({ ending }) => !ending);
      if (!server || server.silence > SILENT_MS) {
        for (const goal of underWay) this.#goals.serverGone(goal);
        return 'absent';
      }
      for (const goal of underWay) if (this.#goals.silenceOf(goal) > SILENT_MS) this.#goals.giveUp(goal);
      if (server.reportedAt > since && !server.isBusy && goals.every(({ ending }) => ending)) return undefined;
      await sleep(CANCEL_AGAIN_MS, undefined, { signal });
      if (server.isBusy && this.#connections.urgent.connected) this.#publishCancel(name, '');
    }
  }

  received(): void {}

  opened(lane: Lane): void {
    if (lane !== 'urgent') return;
    for (const server of this.#servers.values()) server.listenAnew();
    for (const goal of this.#goals.underWay()) this.#goals.markSeen(goal);
  }

  makeWay(): void {}

  close(): void {
    clearInterval(this.#watch);
  }

  #follow(name: string, type: string, listener: (message: JsonValue) => void): void {
    this.#topics.follow({ name, type, throttleMs: 0, lossless: true }, 'urgent');
    this.#topics.listen(name, listener);
  }

  #publishCancel(action: string, id: string): void {
    this.#connections.urgent.sendUrgently({ op: 'publish', topic: `${action}/cancel`, msg: { id, stamp: NOW } });
  }

  #noteReport(server: Ros1Server, message: JsonValue): void {
    for (const { id, code } of server.reported(message)) {
      const goal = this.#goals.find(id);
      const ending = endingOf(code, undefined, null);
      if (goal && ending && !this.#resultsMissing.has(id)) {
        this.#resultsMissing.set(id, { ending, since: performance.now() });
      }
      if (!isAlive(code)) continue;
      if (goal) this.#goals.markSeen(goal);
      if (code >= ACTIVE) goal?.start();
      const abandoned = this.#goals.abandoned(id);
      if (abandoned) this.cancelAgain(abandoned);
    }
  }

  #lookAfterGoals(): void {
    const now = performance.now();
    for (const [id, { ending, since }] of this.#resultsMissing) {
      if (now - since < RESULT_LATE_MS) continue;
      this.#resultsMissing.delete(id);
      this.#goals.ended(id, ending);
    }
    if (!this.#connections.urgent.connected) return;
    for (const goal of this.#goals.underWay()) if (this.#goals.silenceOf(goal) > LOST_MS) this.#goals.serverGone(goal);
  }
}

/** undefined for a status that is no end. */
function endingOf(
  code: JsonValue | undefined,
  text: JsonObject[string] | undefined,
  result: JsonValue,
): Ending | undefined {
  const how = typeof code === 'number' ? ENDINGS[code] : undefined;
  if (!how) return undefined;
  if (how === 'cancelled') return { how, result, message: 'Mission cancelled' };
  const words = typeof text === 'string' && text !== '' ? text : undefined;
  return { how, result, message: words ?? (how === 'succeeded' ? 'Finished' : 'the robot does not say why') };
}
