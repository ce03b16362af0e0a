import type { JsonValue } from '../shared/kit/json.ts';
import type { AuditOutcome } from '../shared/pipeline/spec.ts';
import { type CommandSpec, Declined, Replaced, type RobotAnswer, Unanswered } from '../shared/robot-link/port.ts';

/** Members in a robot's answer that say whether it carries the command out. */
const VERDICTS = ['called', 'accepted', 'set', 'started', 'awaited', 'cancelled', 'associated', 'success'] as const;

/** The robot's own answer, and whether it carries the command out. */
export interface CommandAnswer {
  readonly result: JsonValue;
  /** `null` if the command was sent and the robot does not answer such commands. */
  readonly ok: boolean | null;
  /** The robot's reason for declining, if it gives one. */
  readonly declined?: string;
  /** The drive that was under way was cancelled for this one. */
  readonly replaced?: true;
}

/** Interprets an answer of the robot. An answered query is always ok. */
export function toCommandAnswer(spec: CommandSpec, answer: RobotAnswer): CommandAnswer {
  if (answer instanceof Replaced) return { ...toCommandAnswer(spec, answer.answer), replaced: true };
  if (answer instanceof Unanswered) return { result: answer.result, ok: null };
  if (answer instanceof Declined) return { result: answer.result, ok: false, declined: answer.why };
  const isPlainQuery = spec.effect === 'query' && !spec.waits;
  return { result: answer, ok: isPlainQuery || !isDeclined(answer) };
}

/** What the audit trail says of an answer that does not tell of success. */
export function auditOutcome({ ok }: CommandAnswer): AuditOutcome | undefined {
  if (ok === null) return 'sent';
  return ok ? undefined : 'declined';
}

function isDeclined(result: JsonValue): boolean {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return false;
  return VERDICTS.some((verdict) => result[verdict] === false);
}
