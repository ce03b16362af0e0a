import type { Caller } from '../shared/access.ts';
import type { CommandSpec, RobotLink, Sender } from '../shared/adapters/robot-link/port.ts';
import type { Config } from '../shared/config.ts';
import { ServiceError } from '../shared/errors.ts';
import type { JsonObject, JsonValue } from '../shared/json.ts';
import { answerOf, type CommandAnswer } from './command-answer.ts';
import { requireFittingValue } from './command-value.ts';
import { hungUp, Patience } from './patience.ts';

/** Longest wait for a command whose answer comes when something has happened, in ms. */
export const WAITING_MS = 600_000;
/** Longest wait in the cloud, whose gateway gives up after 30 s. */
export const CLOUD_MS = 25_000;

/** What commands need of the world. */
export interface Commanding {
  readonly robotLink: RobotLink;
  readonly config: Config;
  readonly clock: () => number;
}

/** Where an endpoint says what the audit trail shall keep. */
export interface Recorder {
  readonly record: (action: string, subject: JsonObject) => void;
}

/** Who asks, and until when they listen. */
export interface Asker {
  readonly caller: Caller;
  /** Looked at only where there is a wait. */
  readonly signal: AbortSignal;
  /** They have left already; where absent, `signal` says so. */
  readonly abandoned?: boolean;
  /** When they asked (`arrivalStamp`): a stop after that keeps a motion from beginning. */
  readonly arrivedAt: number;
  /** Aborts when a stop acts that came later on their own connection: its answer waits behind this one. */
  readonly overtaken?: AbortSignal | undefined;
  /** When the answer stops being of use to them, in ms since the epoch; absent: they wait as long as the command may take. */
  readonly deadline?: number;
}

/** Longest value, as JSON text, that is kept in the audit trail. */
const KEPT_CHARACTERS = 256;

/** Keeps an action in the audit trail; queries leave none. */
export function recordAction({ record }: Recorder, spec: CommandSpec, value?: JsonValue): void {
  if (spec.effect !== 'action') return;
  const kept = value === undefined || JSON.stringify(value).length > KEPT_CHARACTERS ? {} : { value };
  record('command', { command: spec.name, ...kept });
}

/** The row of a command in the catalogue. Errors: `unknown_command`, `robot_unavailable`. */
export function findCommand(robotLink: RobotLink, command: string): CommandSpec {
  const spec = robotLink.catalogue().get(command);
  if (spec) return spec;
  throw new ServiceError('unknown_command', {
    detail: `The robot has no command "${command}". GET /api/v2/commands/ lists those it has.`,
  });
}

/**
 * Sends one command and gives the robot's own answer, judged; without a promise when the robot answers at once. `value` is of
 * the kind of the command; absent for kind `none`.
 * @throws ServiceError `validation_failed` (bounds), `stopped` (by a stop that came after it), `robot_unavailable`,
 * `robot_error`, `robot_timeout` (the mission goes on and can be waited for again). A caller that has hung up already moves nothing.
 */
export function runCommand(
  { robotLink, config, clock }: Commanding,
  spec: CommandSpec,
  value: JsonValue | undefined,
  asker: Asker,
): CommandAnswer | Promise<CommandAnswer> {
  if (value !== undefined) requireFittingValue(spec, value);
  if (asker.abandoned ?? asker.signal.aborted) throw hungUp(asker.signal);
  const sender = senderOf(asker.caller);
  const now = clock();
  const left = (asker.deadline ?? Number.POSITIVE_INFINITY) - now;
  const longWait = spec.waits && { beginBy: now + Math.min(config.SERVICE_COMMAND_TIMEOUT_MS, left) };
  const patience = new Patience(now, Math.min(longestWait(spec, config), left), asker, longWait);
  const answer = robotLink.send(
    {
      command: spec.name,
      ...(value === undefined ? {} : { value }),
      sender,
      ...(isHeldBackByStop(spec) ? { arrivedAt: asker.arrivedAt } : {}),
    },
    patience,
  );
  if (!(answer instanceof Promise)) return answerOf(spec, answer);
  return patience.wait(answer).then((late) => answerOf(spec, late));
}

/** Cancels that a robot's catalogue need not mark: to refuse one would keep alive what the stop was to end. */
const CANCELS: ReadonlySet<string> = new Set(['cancel_skill', 'cancel_and_wait_for_mission', 'cancel_client_missions']);

/**
 * Whether a stop that comes after a command keeps it from beginning. An action of which nobody says whether it moves the
 * robot counts as one that does: refused in vain it can be sent again, run in vain it cannot be taken back.
 */
export function isHeldBackByStop({ name, effect, motion }: CommandSpec): boolean {
  if (motion !== undefined) return motion;
  return effect === 'action' && !CANCELS.has(name);
}

/** What of a caller goes with a command. */
export function senderOf({ clientId, accessLevel, keyId }: Caller): Sender {
  return { clientId, accessLevel, keyId };
}

function longestWait(spec: CommandSpec, config: Config): number {
  const wait = spec.waits ? WAITING_MS : config.SERVICE_COMMAND_TIMEOUT_MS;
  return config.inCloud ? Math.min(wait, CLOUD_MS) : wait;
}
