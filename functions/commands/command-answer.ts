import { type CommandSpec, Declined, type RobotAnswer, Unanswered } from '../shared/adapters/robot-link/port.ts';
import type { JsonValue } from '../shared/json.ts';

/** Members by which the robots of this API say whether they do what they were told. */
const VERDICTS = ['called', 'accepted', 'set', 'started', 'awaited', 'cancelled', 'associated', 'success'] as const;

/** What a command answers with: the robot's own words, and whether it does what it was told. */
export interface CommandAnswer {
  readonly result: JsonValue;
  /** `null`: it was sent, and the robot gives no answer. */
  readonly ok: boolean | null;
  /** The robot's reason, where it gives one. */
  readonly declined?: string;
}

/** Judges an answer of the robot. A query that is answered is always ok. */
export function answerOf({ effect, waits }: CommandSpec, answer: RobotAnswer): CommandAnswer {
  if (answer instanceof Unanswered) return { result: answer.result, ok: null };
  if (answer instanceof Declined) return { result: answer.result, ok: false, declined: answer.why };
  const isQuestion = effect === 'query' && !waits;
  return { result: answer, ok: isQuestion || !saysNo(answer) };
}

function saysNo(result: JsonValue): boolean {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return false;
  return VERDICTS.some((verdict) => result[verdict] === false);
}
