import type { CommandAnswer } from '../../functions/commands/command-answer.ts';
import { valueFor } from '../../functions/commands/command-value.ts';
import {
  type Commanding,
  findCommand,
  isHeldBackByStop,
  recordAction,
  runCommand,
} from '../../functions/commands/run-command.ts';
import type { Caller } from '../../functions/shared/access.ts';
import type { AuditTrail } from '../../functions/shared/adapters/audit-trail/port.ts';
import { type CommandMessage, type Ran, REFUSALS } from '../../functions/shared/adapters/robot-link/mqtt/messages.ts';
import { failed } from '../../functions/shared/adapters/robot-link/mqtt/outcome.ts';
import { arrivalStamp, type Fence, stopped } from '../../functions/shared/control/fence.ts';
import { ServiceError } from '../../functions/shared/errors.ts';
import type { JsonObject } from '../../functions/shared/json.ts';
import type { Lifecycle } from '../../functions/shared/lifecycle.ts';
import { auditRelayed } from './audit-relayed.ts';
import type { SeenIds } from './seen-ids.ts';
import { beginsUntil, LONGEST_LIFE_MS, MOST_SKEW_MS } from './timing.ts';

export interface Relaying extends Commanding {
  readonly seen: SeenIds;
  readonly auditTrail: AuditTrail;
  readonly lifecycle: Lifecycle;
  /** A motion was sent to the robot that ends with the link through which it came. */
  readonly onMotion?: (arrivedAt: number) => void;
}

/** Nobody can hang up on a relay: it hears of no such thing. */
const NEVER = new AbortController().signal;

/**
 * Runs a command that came through the broker, as if it had come from here: time, command, kind and bounds are judged
 * anew, by what this robot itself says, and the number of its fence.
 * @returns the robot's answer, judged; undefined when this very message came before, and its first coming is answered.
 * @throws ServiceError with the member `command_ran`.
 */
export async function runRelayed(parts: Relaying, message: CommandMessage): Promise<CommandAnswer | undefined> {
  const arrivedAt = arrivalStamp();
  let ran: Ran = 'no';
  let note: JsonObject | undefined;
  const record = (_action: string, subject: JsonObject) => {
    note = subject;
  };
  try {
    if (parts.lifecycle.draining) throw failed('robot_unavailable', 'The service on the robot is shutting down.', 'no');
    const now = parts.clock();
    const until = beginsUntil(message, now);
    const spec = findCommand(parts.robotLink, message.command);
    const value = valueFor(spec, message.value);
    switch (parts.seen.take(message.id, Math.min(message.deadline, now + LONGEST_LIFE_MS) + 2 * MOST_SKEW_MS, now)) {
      case 'seen':
        return undefined;
      case 'full':
        throw failed('robot_unavailable', 'The robot has more commands than it can keep apart.', 'no');
      case 'new':
    }
    recordAction({ record }, spec, value);
    if (isHeldBackByStop(spec) && message.fence !== undefined) {
      const keeping = compareFence(parts.robotLink.fence, message.fence);
      if (keeping) {
        await keeping;
        beginsUntil(message, parts.clock());
      }
    }
    const asker = { caller: callerOf(message), signal: NEVER, deadline: until, arrivedAt };
    const answer = runCommand(parts, spec, value, asker);
    ran = 'maybe';
    if (isHeldBackByStop(spec) && spec.on_lapse !== 'finish') parts.onMotion?.(arrivedAt);
    const result = answer instanceof Promise ? await answer : answer;
    if (note) auditRelayed(parts, message, note);
    return result;
  } catch (error) {
    const failure = outcomeOf(error, ran);
    if (note) auditRelayed(parts, message, note, failure);
    throw failure;
  }
}

/** A command whose sender knew a lower number was sent before a stop. One that knew a higher one saw more than this disk kept. */
function compareFence(fence: Fence, sent: number): Promise<void> | undefined {
  if (sent < fence.read()) throw stopped();
  return sent > fence.read() ? fence.advance(sent) : undefined;
}

/** Any failure as one that may travel, and that says whether the command ran. */
export function outcomeOf(error: unknown, ran: Ran): ServiceError {
  if (!(error instanceof ServiceError)) {
    return Object.assign(failed('robot_error', 'The robot failed in a way that was not foreseen.', 'maybe'), {
      cause: error,
    });
  }
  if (error.members?.command_ran !== undefined) return error;
  const code = REFUSALS.find((known) => known === error.code) ?? 'robot_error';
  // A robot that says no by itself may have begun all the same.
  return failed(code, error.message, code === 'robot_error' ? 'maybe' : ran);
}

function callerOf({ sender }: CommandMessage): Caller {
  return {
    clientId: sender.client_id,
    accessLevel: sender.access_level,
    keyId: sender.key_id,
    mayPublish: false,
  };
}
