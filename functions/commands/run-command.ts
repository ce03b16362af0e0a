import type { Caller } from '../shared/access.ts';
import type { Config } from '../shared/config.ts';
import { ServiceError } from '../shared/errors.ts';
import type { JsonObject, JsonValue } from '../shared/kit/json.ts';
import type { AuditOutcome } from '../shared/pipeline/spec.ts';
import { insteadOf } from '../shared/robot-link/command-name.ts';
import { CANCELS, type CommandSpec, type RobotLink, type Sender } from '../shared/robot-link/port.ts';
import { auditOutcome, type CommandAnswer, toCommandAnswer } from './command-answer.ts';
import { CommandDeadline, hungUp } from './command-deadline.ts';
import { assertValueInBounds, valueFor } from './command-value.ts';

/** Timeout of commands that only answer once something has happened. */
export const LONG_COMMAND_TIMEOUT_MS = 600_000;
/** Timeout in the cloud, where the gateway gives up after 30 s. */
export const CLOUD_TIMEOUT_MS = 25_000;

/** The ports that commands use. */
export interface CommandPorts {
  readonly robotLink: RobotLink;
  readonly config: Config;
  readonly clock: () => number;
}

/** Writes to the audit trail. */
export interface Recorder {
  readonly record: (action: string, subject: JsonObject) => void;
  readonly recordOutcome: (outcome: AuditOutcome) => void;
}

/** A command as the caller named it. */
export interface CommandRequest {
  readonly command: string;
  readonly value?: JsonValue | undefined;
  /** From a route that has checked the value against its own kind: throws for a command that does not take it. */
  readonly assertKind?: (spec: CommandSpec) => void;
}

/** The origin of a command: who sent it, when, and how long they wait for the answer. */
export interface CommandOrigin {
  readonly caller: Caller;
  /** Aborts when the caller hangs up. Only accessed if there is a wait. */
  readonly signal: AbortSignal;
  /** Whether the caller has already hung up; if absent, `signal` tells. */
  readonly abandoned?: boolean;
  /** When the command arrived (`arrivalStamp`): a later stop keeps a motion from starting. */
  readonly arrivedAt: number;
  /** Id of the lease under which the command was sent. */
  readonly lease?: string | undefined;
  /** Aborts when a later stop on the same connection takes effect, whose answer has to wait for this one. */
  readonly overtaken?: AbortSignal | undefined;
  /**
   * When the answer becomes useless to the caller, in ms since the epoch; by default the command may take its full
   * time.
   */
  readonly deadline?: number;
}

/** Longest value, as JSON text, that is written to the audit trail. */
const MAX_AUDITED_CHARS = 256;

/** Looks a command up in the robot's catalogue. @throws ServiceError `unknown_command`, `robot_unavailable`. */
function findCommand(robotLink: RobotLink, command: string): CommandSpec {
  const spec = robotLink.catalogue().get(command);
  if (spec) return spec;
  throw new ServiceError('unknown_command', {
    detail: `The robot has no command "${command}". ${insteadOf(command)}`,
  });
}

/** A command of the catalogue with a value of its kind. */
export class PreparedCommand {
  readonly spec: CommandSpec;
  /** As it is sent to the robot; absent for kind `none`. */
  readonly value: JsonValue | undefined;
  readonly #ports: CommandPorts;

  /**
   * @throws ServiceError `unknown_command`, `wrong_value_type`, `validation_failed`, `robot_unavailable`; what
   * `assertKind` throws.
   */
  constructor(ports: CommandPorts, { command, value, assertKind }: CommandRequest) {
    this.#ports = ports;
    this.spec = findCommand(ports.robotLink, command);
    assertKind?.(this.spec);
    this.value = assertKind ? value : valueFor(this.spec, value);
  }

  /** Writes an action to the audit trail; queries are not audited. */
  record({ record }: Pick<Recorder, 'record'>): void {
    const { spec, value } = this;
    if (spec.effect !== 'action') return;
    const audited = value === undefined || JSON.stringify(value).length > MAX_AUDITED_CHARS ? {} : { value };
    record('command', { command: spec.name, ...audited });
  }

  /**
   * Sends the command and interprets the robot's answer; returns no promise if the robot answers immediately. Nothing
   * is sent for a caller that has already hung up.
   * @throws ServiceError `validation_failed` (bounds), `stopped` (by a later stop), `robot_unavailable`, `robot_error`,
   * `robot_timeout` (the mission continues and can be waited for again).
   */
  run(origin: CommandOrigin): CommandAnswer | Promise<CommandAnswer> {
    const { spec, value } = this;
    const { robotLink, config, clock } = this.#ports;
    if (value !== undefined) assertValueInBounds(spec, value);
    if (origin.abandoned ?? origin.signal.aborted) throw hungUp(origin.signal);
    const overtaken = spec.waits ? origin.overtaken : undefined;
    // A cancel is sent all the same: only its wait is over.
    if (overtaken?.aborted && !CANCELS.has(spec.name)) throw notBegun();
    const sender = senderOf(origin.caller);
    const now = clock();
    const remainingMs = (origin.deadline ?? Number.POSITIVE_INFINITY) - now;
    const longWait = spec.waits && { beginBy: now + Math.min(config.SERVICE_COMMAND_TIMEOUT_MS, remainingMs) };
    const deadline = new CommandDeadline(now, Math.min(timeoutMs(spec, config), remainingMs), origin, longWait);
    const answer = robotLink.send(
      {
        command: spec.name,
        ...(value === undefined ? {} : { value }),
        sender,
        ...(isBlockedByStop(spec) ? { arrivedAt: origin.arrivedAt } : {}),
        ...(origin.lease === undefined ? {} : { lease: origin.lease }),
      },
      deadline,
    );
    if (!(answer instanceof Promise)) {
      if (overtaken?.aborted) throw hungUp(overtaken);
      return toCommandAnswer(spec, answer);
    }
    return deadline.wait(answer).then((settled) => toCommandAnswer(spec, settled));
  }
}

/** The answer to a command with its name and value, as the routes return it. */
export type NamedAnswer = CommandAnswer & { readonly command: string; readonly value?: JsonValue };

/**
 * Carries out the command of a request: finds it, converts its value, records it and runs it. Returns no promise if the
 * robot answers immediately. @throws ServiceError as {@link PreparedCommand} and its `run`.
 */
export function runCommand(
  ports: CommandPorts,
  request: CommandRequest,
  call: CommandOrigin & Recorder,
): NamedAnswer | Promise<NamedAnswer> {
  const prepared = new PreparedCommand(ports, request);
  prepared.record(call);
  const { value } = prepared;
  const named = { command: request.command, ...(value === undefined ? {} : { value }) };
  const finish = (answer: CommandAnswer): NamedAnswer => {
    const outcome = auditOutcome(answer);
    if (outcome) call.recordOutcome(outcome);
    return { ...named, ...answer };
  };
  const answer = prepared.run(call);
  return answer instanceof Promise ? answer.then(finish) : finish(answer);
}

/**
 * Whether a later stop keeps a command from starting. An action that does not declare whether it moves the robot is
 * treated as if it did: a needless rejection can be repeated, a needless motion cannot be undone.
 */
export function isBlockedByStop({ name, effect, motion }: CommandSpec): boolean {
  if (motion !== undefined) return motion;
  return effect === 'action' && !CANCELS.has(name);
}

/** `stopped`: a stop on the same connection came before this wait could begin. */
function notBegun(): ServiceError {
  return new ServiceError('stopped', {
    detail:
      'A stop that arrived later on the same connection has ended this wait before it began. Send it again to wait.',
    members: { command_ran: 'no' },
  });
}

/** The part of a caller that is sent to the robot. */
export function senderOf({ clientId, accessLevel, keyId }: Caller): Sender {
  return { clientId, accessLevel, keyId };
}

function timeoutMs(spec: CommandSpec, config: Config): number {
  const timeout = spec.waits ? LONG_COMMAND_TIMEOUT_MS : config.SERVICE_COMMAND_TIMEOUT_MS;
  return config.inCloud ? Math.min(timeout, CLOUD_TIMEOUT_MS) : timeout;
}
