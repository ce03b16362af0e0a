/**
 * Every error a client can meet. The wire form is RFC 9457 problem+json; the code is stable, the title is for
 * people, the status follows from the code alone. A domain throws a code and a sentence; only render-error.ts
 * knows statuses.
 */
export const PROBLEMS = {
  malformed_json: [400, 'The body is not valid JSON'],
  malformed_multipart: [400, 'The body is not a valid multipart form'],
  bad_request: [400, 'The request cannot be understood'],
  missing_token: [401, 'A bearer token is needed'],
  token_invalid: [401, 'The bearer token is not valid here'],
  token_expired: [401, 'The bearer token has expired'],
  missing_api_key: [401, 'An API key is needed'],
  api_key_invalid: [401, 'The API key is not valid here'],
  key_revoked: [401, 'The API key behind this token was revoked or changed'],
  insufficient_access: [403, 'The access level does not reach'],
  not_found: [404, 'Nothing is here'],
  unknown_command: [404, 'The robot has no such command'],
  unknown_table: [404, 'The database has no such table'],
  row_not_found: [404, 'The table has no such row'],
  skill_not_found: [404, 'There is no such skill'],
  config_key_not_found: [404, 'The configuration has no such key'],
  unit_not_allowed: [404, 'This unit is not among the allowed ones'],
  method_not_allowed: [405, 'The method is not allowed here'],
  request_timeout: [408, 'The request came too slowly'],
  conflict: [409, 'The request conflicts with the present state'],
  already_exists: [409, 'It exists already'],
  busy: [409, 'The same work is going on already'],
  stopped: [409, 'The robot was stopped'],
  not_ready: [409, 'The robot is not ready for this command'],
  precondition_failed: [412, 'The resource has changed since'],
  too_large: [413, 'The request body is too large'],
  uri_too_long: [414, 'The request target is too long'],
  unsupported_media_type: [415, 'The media type is not supported here'],
  range_not_satisfiable: [416, 'The range lies outside the resource'],
  host_not_allowed: [421, 'The Host header names no host of this service'],
  validation_failed: [422, 'The request does not fit its schema'],
  wrong_value_type: [422, 'The command takes another kind of value'],
  invalid_python: [422, 'The file is not valid Python'],
  invalid_csv: [422, 'The file is not valid CSV for this table'],
  file_too_large: [422, 'The file is too large'],
  wifi_wrong_password: [422, 'The network refused the password'],
  wifi_ssid_not_found: [422, 'No network of this name was seen'],
  wifi_no_address: [422, 'The network gave no address'],
  wifi_eap_rejected: [422, 'The network refused the identity'],
  rate_limited: [429, 'Too many wrong attempts'],
  headers_too_large: [431, 'The request headers are too large'],
  internal_error: [500, 'The service failed'],
  config_unreadable: [500, 'A configuration file cannot be read'],
  robot_error: [502, 'The robot answered with an error'],
  robot_unavailable: [503, 'The robot cannot be reached'],
  component_unavailable: [503, 'A component is not available'],
  robot_timeout: [504, 'The robot did not answer in time'],
  wifi_timeout: [504, 'The network did not answer in time'],
  storage_full: [507, 'The storage is full'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ErrorCode = keyof typeof PROBLEMS;

/** One fault of the input. `pointer` is a JSON pointer into the body, or `query:NAME`, `path:NAME`, `header:NAME`. */
export interface Fault {
  readonly pointer: string;
  readonly message: string;
}

export interface ServiceErrorOptions {
  /** A sentence a person can act on. No secret, stack, SQL or path outside the data folder. */
  readonly detail: string;
  readonly errors?: readonly Fault[];
  /** Response headers the answer needs, `Retry-After` or `Allow` for instance. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the problem (RFC 9457, section 3.2), as readable to everybody as the detail. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The one error the domain throws. `code` decides status and title (see {@link PROBLEMS}). */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly Fault[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, { detail, errors, headers, members, cause }: ServiceErrorOptions) {
    super(detail, cause === undefined ? undefined : { cause });
    this.name = 'ServiceError';
    this.code = code;
    this.errors = errors;
    this.headers = headers ?? {};
    this.members = members;
  }

  get status(): number {
    return PROBLEMS[this.code][0];
  }
}

/** `component_unavailable` for one named part, with how to turn it on and when to try again (seconds). */
export function unavailable(component: string, remedy: string, cause?: unknown): ServiceError {
  return new ServiceError('component_unavailable', {
    detail: `The component "${component}" is not available. ${remedy}`,
    headers: { 'retry-after': '5' },
    cause,
  });
}
