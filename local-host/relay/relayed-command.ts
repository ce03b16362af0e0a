import { auditOutcome, type CommandAnswer } from '../../functions/commands/command-answer.ts';
import { type CommandPorts, isBlockedByStop, PreparedCommand } from '../../functions/commands/run-command.ts';
import type { Caller } from '../../functions/shared/access.ts';
import { arrivalStamp, stopped } from '../../functions/shared/control/fence.ts';
import { ServiceError } from '../../functions/shared/errors.ts';
import type { JsonObject } from '../../functions/shared/kit/json.ts';
import type { AuditTrail } from '../../functions/shared/observability/audit-trail.port.ts';
import type { RobotMetrics } from '../../functions/shared/observability/metrics.port.ts';
import type { Refusals } from '../../functions/shared/observability/refusals.ts';
import { type CommandMessage, type Ran, REFUSALS } from '../../functions/shared/robot-link/adapters/mqtt/messages.ts';
import { failed, untimelyIn } from '../../functions/shared/robot-link/adapters/mqtt/outcome.ts';
import type { Lifecycle } from '../../functions/system/status/lifecycle.ts';
import { auditRelayed } from './audit-relayed.ts';
import type { SeenIds } from './seen-ids.ts';
import { latestStart, MAX_CLOCK_SKEW_MS, MAX_LIFETIME_MS } from './timing.ts';

export interface RelayContext extends CommandPorts {
  readonly seen: SeenIds;
  readonly auditTrail: AuditTrail;
  readonly lifecycle: Lifecycle;
  readonly refusals?: Refusals;
  readonly metrics: RobotMetrics;
  /** A motion was sent to the robot that must not outlive the link it came through. */
  readonly onMotion?: (arrivedAt: number) => void;
}

/** A relay is never told that a client hung up. */
const NEVER = new AbortController().signal;

/**
 * Runs a command that arrived through the broker as if it had been sent locally: deadline, command, type, bounds and
 * fence number are checked again, against this robot's own catalogue and clock.
 * @returns the robot's answer, checked; undefined for a duplicate of a message that is already being answered.
 * @throws ServiceError with the member `command_ran`.
 */
export async function runRelayed(parts: RelayContext, message: CommandMessage): Promise<CommandAnswer | undefined> {
  const arrivedAt = arrivalStamp();
  let ran: Ran = 'no';
  let note: JsonObject | undefined;
  const record = (_action: string, subject: JsonObject) => {
    note = subject;
  };
  try {
    if (parts.lifecycle.draining)
      throw failed('robot_unavailable', 'The service on the robot is shutting down; try again in a moment.', 'no');
    const now = parts.clock();
    const until = latestStart(message, now);
    if (message.deadline - message.issued_at > MAX_LIFETIME_MS) {
      parts.refusals?.note('deadlines', 'Shortened the deadline of a relayed command', {
        client_id: message.sender.client_id,
      });
    }
    const prepared = new PreparedCommand(parts, message);
    const { spec } = prepared;
    const rememberUntil = Math.min(message.deadline, now + MAX_LIFETIME_MS) + 2 * MAX_CLOCK_SKEW_MS;
    switch (parts.seen.take(message.id, rememberUntil, now)) {
      case 'seen':
        return undefined;
      case 'full':
        throw failed(
          'robot_unavailable',
          'The robot has received too many commands to recognize duplicates; send fewer at a time.',
          'no',
        );
      case 'new':
    }
    prepared.record({ record });
    if (isBlockedByStop(spec) && message.fence !== undefined) {
      const advancing = checkFence(parts, message.fence);
      if (advancing) {
        await advancing;
        latestStart(message, parts.clock());
      }
    }
    const asker = { caller: callerOf(message), signal: NEVER, deadline: until, arrivedAt };
    const answer = prepared.run(asker);
    ran = 'maybe';
    if (isBlockedByStop(spec) && spec.on_lapse !== 'finish') parts.onMotion?.(arrivedAt);
    const result = answer instanceof Promise ? await answer : answer;
    if (note) auditRelayed(parts, message, note, auditOutcome(result));
    return result;
  } catch (error) {
    const failure = relayError(error, ran);
    const untimely = untimelyIn({ code: failure.code, detail: failure.message });
    if (untimely) parts.metrics.clockRefusal(untimely);
    if (note) auditRelayed(parts, message, note, failure.code);
    throw failure;
  }
}

/**
 * A lower number than ours means the command was sent before a stop. A higher one means this robot lost fence numbers,
 * for instance with its disk, and has to catch up.
 * @throws ServiceError `stopped`.
 */
function checkFence(
  { robotLink: { fence }, metrics }: Pick<RelayContext, 'robotLink' | 'metrics'>,
  sent: number,
): Promise<void> | undefined {
  if (sent < fence.read()) {
    metrics.motionRefusal('stopped');
    throw stopped();
  }
  return sent > fence.read() ? fence.advance(sent) : undefined;
}

/** Converts any error to one that may be sent through the broker and says whether the command ran. */
export function relayError(error: unknown, ran: Ran): ServiceError {
  if (!(error instanceof ServiceError)) {
    return Object.assign(failed('robot_error', 'The robot failed unexpectedly.', 'maybe'), {
      cause: error,
    });
  }
  if (error.members?.command_ran !== undefined) return error;
  const code = REFUSALS.find((known) => known === error.code) ?? 'robot_error';
  // A robot that reports an error of its own may still have started the command.
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
