import type { JsonValue } from '../../../json.ts';
import type { ActionForm } from './action-form.ts';
import type { Goal } from './goal.ts';
import type { Goals } from './goals.ts';
import type { MissionWay } from './mapping.schema.ts';

const NOT_FOUND = 'Mission not found';
const CANCELLED = 'Mission cancelled';

/** What clients ask about goals that are under way, by the id they were given; the shapes are those of every robot. */
export async function runMissionCommand(
  way: MissionWay,
  { goals, form, id, clientId, signal }: MissionAsking,
): Promise<JsonValue> {
  if (way === 'cancel_mine') return cancelMine(goals, form, clientId);
  const goal = goals.known(id);
  if (way === 'wait_for_start') {
    if (!goal) return { started: false, msg: NOT_FOUND };
    await goal.begun.wait(signal);
    return startOf(goal);
  }
  if (way === 'wait') {
    if (!goal) return { awaited: false, start_result: { started: false, msg: NOT_FOUND }, msg: NOT_FOUND };
    const late = goal.over.passed;
    await goal.over.wait(signal);
    if (late) goals.forget(goal);
    return endOf(goal);
  }
  if (!goal || goal.ending) return { cancelled: false, msg: NOT_FOUND };
  form.cancel(goal);
  if (way === 'cancel') return { cancelled: true, msg: CANCELLED };
  await goal.over.wait(signal);
  return cancellationOf(goal);
}

export interface MissionAsking {
  readonly goals: Goals;
  readonly form: ActionForm;
  readonly id: string;
  readonly clientId: string;
  readonly signal: AbortSignal;
}

function cancelMine(goals: Goals, form: ActionForm, clientId: string): JsonValue {
  const mine = goals.underWay(clientId);
  for (const goal of mine) form.cancel(goal);
  const count = mine.length;
  return { cancelled: count > 0, cancelled_missions: count, msg: `${count} of this client's missions cancelled` };
}

function cancellationOf({ ending }: Goal): JsonValue {
  return { cancelled: ending?.how === 'cancelled', msg: ending?.message ?? CANCELLED };
}

function startOf(goal: Goal): { started: boolean; msg: string } {
  if (goal.hasStarted) return { started: true, msg: 'Mission started' };
  return { started: false, msg: goal.ending?.message ?? NOT_FOUND };
}

function endOf(goal: Goal): JsonValue {
  const awaited = goal.ending?.how === 'succeeded';
  return {
    awaited,
    start_result: startOf(goal),
    msg: awaited ? 'Mission finished' : (goal.ending?.message ?? NOT_FOUND),
  };
}
