import type { components } from './openapi.ts';

/** A fault of the input: a JSON pointer into it, and a sentence. */
export interface Fault {
  readonly pointer: string;
  readonly message: string;
}

/** The answer behind an error (RFC 9457); a proxy or an older service may leave members out. */
export type ProblemMembers = Readonly<Partial<components['schemas']['Problem']> & Record<string, unknown>>;

/** Whether a command has reached the robot, where that is known. */
export type CommandRan = 'no' | 'maybe' | null;

/**
 * An answer that is an error, or none at all. Programs decide by `code`; `detail` is for people. `status` is that of HTTP,
 * `null` if the error was not the answer of a request.
 */
export class RobotRestError extends Error {
  readonly status: number | null;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly Fault[];
  readonly commandRan: CommandRan;
  /** The whole answer; empty if the service has not answered. */
  readonly problem: ProblemMembers;

  constructor(status: number | null, code: string, detail: string, commandRan: CommandRan = null, problem = {}) {
    super(`${detail} (${code})`);
    this.name = new.target.name;
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.commandRan = commandRan;
    this.problem = problem;
    this.errors = Array.isArray(this.problem.errors) ? this.problem.errors.filter(isFault) : [];
  }

  /** Whether the service has said so itself; otherwise nothing is known about what became of the request. */
  get answered(): boolean {
    return typeof this.problem.code === 'string';
  }
}

/** The key or token is missing, wrong, over or revoked (401), or too many wrong ones were sent (429). */
export class AuthError extends RobotRestError {}

/** The access level is too low (403). */
export class AccessError extends RobotRestError {}

/** Something else is under way (`busy`), or something else drives the robot (`driven_elsewhere`). */
export class Busy extends RobotRestError {}

/** A stop or the emergency stop ended it. Do not retry automatically: somebody wanted the robot to stand still. */
export class Stopped extends RobotRestError {}

/** The lease has lapsed, was taken, or was returned. */
export class LeaseLost extends RobotRestError {}

/** The request is wrong as it is (400, 422); `errors` says where. */
export class ValidationFailed extends RobotRestError {}

/** The service, the robot or a part of it cannot be reached, or does not answer. */
export class Unavailable extends RobotRestError {}

/** Another client controls the robot; `holder` says who. */
export class LeaseHeld extends RobotRestError {
  get holder(): components['schemas']['LeaseHolder'] | null {
    const { holder } = this.problem;
    return isObject(holder) ? (holder as components['schemas']['LeaseHolder']) : null; // as: what the service sends
  }
}

/** The robot has answered that it does not do it. `result` is its answer. */
export class Declined extends RobotRestError {
  readonly result: unknown;

  constructor(detail: string, result: unknown) {
    super(200, 'declined', detail);
    this.result = result;
  }
}

type Kind = new (...args: ConstructorParameters<typeof RobotRestError>) => RobotRestError;

const BY_CODE: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['busy', Busy],
  ['driven_elsewhere', Busy],
  ['stopped', Stopped],
  ['estop_engaged', Stopped],
  ['lease_held', LeaseHeld],
  ['lease_lost', LeaseLost],
  ['not_ready', Unavailable],
  ['robot_error', Unavailable],
  ['robot_unavailable', Unavailable],
  ['robot_timeout', Unavailable],
  ['component_unavailable', Unavailable],
  ['insufficient_access', AccessError],
  ['rate_limited', AuthError],
  ['missing_token', AuthError],
  ['token_invalid', AuthError],
  ['token_expired', AuthError],
  ['key_revoked', AuthError],
  ['malformed_json', ValidationFailed],
  ['validation_failed', ValidationFailed],
]);

const BY_STATUS: ReadonlyMap<number, Kind> = new Map<number, Kind>([
  [400, ValidationFailed],
  [401, AuthError],
  [403, AccessError],
  [422, ValidationFailed],
  [502, Unavailable],
  [503, Unavailable],
  [504, Unavailable],
]);

/** Converts a problem document, from an error response or a refusal on the WebSocket; unknown codes are kept. */
export function errorFromProblem(status: number | null, value: unknown): RobotRestError {
  const problem: Record<string, unknown> = isObject(value) ? value : {};
  const code = text(problem.code) ?? `http_${status}`;
  const detail = text(problem.detail) ?? text(problem.title) ?? `The service answered with status ${status}.`;
  const ran = problem.command_ran === 'no' || problem.command_ran === 'maybe' ? problem.command_ran : null;
  const Kind = BY_CODE.get(code) ?? (status === null ? undefined : BY_STATUS.get(status)) ?? RobotRestError;
  return new Kind(status, code, detail, ran, problem);
}

/** What answered is not the service, or speaks like nothing that this client knows. */
export function badAnswer(what: string): Unavailable {
  return new Unavailable(null, 'bad_answer', `What answered does not speak like the service: ${what}.`, 'maybe');
}

export function connectionLost(ran: CommandRan = 'maybe'): Unavailable {
  return new Unavailable(null, 'connection_lost', 'The connection to the service was lost.', ran);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A string that says something. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isFault(value: unknown): value is Fault {
  return isObject(value) && typeof value.message === 'string';
}
