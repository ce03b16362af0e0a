import type { JsonValue } from '../../../kit/json.ts';
import { NOT_FOUND } from '../mission-book.ts';
import { type ActionForm, CANCEL_AGAIN_MS } from './action-form.ts';
import type { Goal } from './goal.ts';
import type { Goals } from './goals.ts';
import type { MissionWay } from './mapping.schema.ts';

interface MissionRequest {
  readonly goals: Goals;
  readonly form: ActionForm;
  readonly id: string;
  readonly clientId: string;
  readonly signal: AbortSignal;
}

/** What clients ask about goals that are under way, by the id they were given; the shapes are those of every robot. */
export async function runMissionCommand(way: MissionWay, request: MissionRequest): Promise<JsonValue> {
  const { goals, id, clientId, signal } = request;
  if (way === 'cancel_mine') return cancelMine(goals.underWay({ clientId }), request);
  if (way === 'wait_for_start') return goals.waitForStart(id, { signal });
  if (way === 'wait') return goals.waitForEnd(id, { signal });
  const goal = goals.find(id);
  if (!goal) return { cancelled: false, msg: NOT_FOUND };
  await cancel(goal, request);
  return { cancelled: wasCancelled(goal), msg: cancellationMessage(goal) };
}

/** Tells a goal to end until the robot says that it has. @throws the signal's reason. */
export async function cancel(goal: Goal, { form, signal }: Pick<MissionRequest, 'form' | 'signal'>): Promise<void> {
  form.cancel(goal);
  const again = setInterval(() => {
    try {
      form.cancelAgain(goal);
    } catch {
      // The link is down at the moment; it may come back while somebody waits.
    }
  }, CANCEL_AGAIN_MS).unref();
  try {
    await goal.over.wait(signal);
  } finally {
    clearInterval(again);
  }
}

async function cancelMine(mine: readonly Goal[], request: MissionRequest): Promise<JsonValue> {
  await Promise.all(mine.map((goal) => cancel(goal, request)));
  const count = mine.filter(wasCancelled).length;
  const others = mine.length - count;
  const msg = `${count} of this client's missions cancelled${others > 0 ? `; ${others} ended in another way` : ''}`;
  return { cancelled: count > 0 && others === 0, cancelled_missions: count, msg };
}

/** Whether the robot itself said so. */
function wasCancelled({ ending }: Goal): boolean {
  return ending?.how === 'cancelled' && ending.assumed === undefined;
}

function cancellationMessage(goal: Goal): string {
  const { ending } = goal;
  if (ending?.how === 'succeeded') return 'Mission finished before it could be cancelled';
  if (ending?.how === 'cancelled' && ending.assumed) return 'The robot no longer speaks of this mission';
  return goal.message;
}
