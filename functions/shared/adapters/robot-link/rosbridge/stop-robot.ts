import type { JsonValue } from '../../../json.ts';
import type { SendOptions, StopReport } from '../port.ts';
import type { Goal } from './goal.ts';
import type { StillEntry } from './mapping.schema.ts';
import type { Publication, ServiceCall, StopPlan } from './mapping.ts';
import { requireSuccess, type Tools } from './run-way.ts';
import { refusal } from './services.ts';
import { reach } from './template.ts';

/** A goal of which the robot has not spoken for so long does not exist there; before, it may still begin. */
const SILENT_MS = 1_500;
const CANCEL_AGAIN_MS = 100;

/**
 * Stops the robot: everything the plan publishes, calls and cancels goes out at once, ahead of whatever waits. Settles
 * when every service has answered, every goal of ours has ended, and the robot reports that it stands still, as far as
 * the plan lets it. What fails keeps nothing else from going out.
 */
export async function stopRobot(
  tools: Tools,
  plan: StopPlan,
  actions: readonly string[],
  options: SendOptions,
): Promise<StopReport> {
  tools.repeats.dropAll();
  const goals = tools.goals.underWay();
  const { signal } = options;
  const published = plan.publish.map((publication) => publishUrgently(tools, publication, signal));
  const cancels = actions.map((name) => cancelAll(tools, name, signal));
  for (const goal of goals) tools.form.cancel(goal);
  const called = plan.service.map((call) => callUrgently(tools, call, signal));
  const ended = Promise.all(cancels).then(() => Promise.all(goals.map((goal) => goalEnds(tools, goal, signal))));
  const [counts] = await Promise.all([
    Promise.all(cancels),
    ended,
    ...published,
    ...called,
    tools.lanes().urgent.arrived(signal),
  ]);
  if (plan.publish.length + plan.service.length === 0 && counts.every((count) => count === 'absent')) {
    throw refusal('Nobody on the robot could be told to stop: none of its actions is there');
  }
  // Only now: a robot that was about to move would have looked still before.
  if (plan.still) await standsStill(tools, plan.still, options);
  return { stopped: true, ...countOf(counts, goals) };
}

async function publishUrgently({ lanes, repeats }: Tools, publication: Publication, signal: AbortSignal) {
  const { name, message, times, every_ms } = publication;
  const frame = { op: 'publish', topic: name, msg: message.fill({}) };
  await repeats.run(times, every_ms, () => lanes().urgent.sendUrgently(frame));
  await lanes().urgent.arrived(signal);
}

/** Cancels all goals of an action. Where nobody is there to carry it out, none of ours is carried out either. */
async function cancelAll({ form, goals }: Tools, name: string, signal: AbortSignal) {
  const count = await form.cancelAll(name, signal);
  if (count === 'absent') for (const goal of goals.underWay()) if (goal.action === name) goals.giveUp(goal);
  return count;
}

async function callUrgently({ services }: Tools, call: ServiceCall, signal: AbortSignal): Promise<void> {
  const answer = await services.callUrgently(call.name, call.type, call.args.fill({}), signal);
  requireSuccess(call, { answer: services.valuesOf(call.name, answer) });
}

/**
 * Waits for a goal that was told to end. One of which nothing is heard was refused in silence, or the node that knew of
 * it is gone; it is given up.
 */
async function goalEnds({ lanes, goals, form }: Tools, goal: Goal, signal: AbortSignal): Promise<void> {
  const again = setInterval(() => {
    if (goal.ending || !lanes().connected) return;
    const speaks = form.tellsAlways || !goal.hasStarted;
    if (speaks && goals.silenceOf(goal) > SILENT_MS) goals.giveUp(goal);
    // A goal that had not reached its server could not be cancelled there.
    else form.cancel(goal);
  }, CANCEL_AGAIN_MS).unref();
  try {
    await goal.over.wait(signal);
  } finally {
    clearInterval(again);
  }
}

async function standsStill(
  { topics, clock }: Tools,
  still: StillEntry,
  { deadline, signal }: SendOptions,
): Promise<void> {
  const isStill = (message: JsonValue) =>
    still.zero.every((path) => {
      const speed = reach(message, path.split('.'));
      return typeof speed === 'number' && Math.abs(speed) <= still.tolerance;
    });
  const longest = Math.min(deadline - clock(), 2 ** 31 - 1);
  await topics.next(still.name, longest, signal, isStill);
}

/** How many missions were cancelled, where the robot says so, or at least how many of ours. */
function countOf(counts: ReadonlyArray<number | 'absent' | undefined>, goals: readonly Goal[]): Partial<StopReport> {
  if (counts.length === 0) return {};
  const ours = goals.filter(({ ending }) => ending?.how === 'cancelled').length;
  const told = counts.filter((count) => typeof count === 'number');
  const sum = told.reduce((total, count) => total + count, 0);
  return { cancelled_missions: Math.max(ours, sum) };
}
