/**
 * Every error a client can meet. The wire form is RFC 9457 problem+json; the code is stable, the title is for
 * people, the status follows from the code alone. A domain throws a code and a sentence; only render-error.ts
 * knows statuses.
 */
export const PROBLEMS = {
  malformed_json: [400, 'Malformed JSON'],
  malformed_multipart: [400, 'Malformed multipart body'],
  bad_request: [400, 'Bad request'],
  missing_token: [401, 'Bearer token required'],
  token_invalid: [401, 'Invalid bearer token'],
  token_expired: [401, 'Bearer token expired'],
  missing_api_key: [401, 'API key required'],
  api_key_invalid: [401, 'Invalid API key'],
  pairing_code_invalid: [401, 'Invalid pairing code'],
  key_revoked: [401, 'API key revoked or changed'],
  insufficient_access: [403, 'Insufficient access level'],
  secure_channel_required: [403, 'Secure channel required'],
  not_found: [404, 'Not found'],
  unknown_command: [404, 'Unknown command'],
  unknown_table: [404, 'Unknown table'],
  row_not_found: [404, 'Row not found'],
  skill_not_found: [404, 'Skill not found'],
  config_key_not_found: [404, 'Configuration key not found'],
  unit_not_allowed: [404, 'Unit not allowed'],
  method_not_allowed: [405, 'Method not allowed'],
  request_timeout: [408, 'Request timeout'],
  conflict: [409, 'Conflict'],
  already_exists: [409, 'Already exists'],
  busy: [409, 'Busy'],
  stopped: [409, 'Ended by a stop'],
  not_ready: [409, 'Robot not ready'],
  estop_engaged: [409, 'Emergency stop engaged'],
  lease_held: [409, 'Lease held by another client'],
  lease_required: [409, 'Lease required'],
  driven_elsewhere: [409, 'Robot driven elsewhere'],
  lease_lost: [410, 'Lease lost'],
  precondition_failed: [412, 'Precondition failed'],
  too_large: [413, 'Request body too large'],
  uri_too_long: [414, 'URI too long'],
  unsupported_media_type: [415, 'Unsupported media type'],
  range_not_satisfiable: [416, 'Range not satisfiable'],
  host_not_allowed: [421, 'Host not allowed'],
  validation_failed: [422, 'Validation failed'],
  wrong_value_type: [422, 'Wrong value type'],
  invalid_python: [422, 'Invalid Python'],
  backup_invalid: [422, 'Invalid backup'],
  archive_invalid: [422, 'Invalid archive'],
  invalid_csv: [422, 'Invalid CSV'],
  file_too_large: [422, 'File too large'],
  wifi_wrong_password: [422, 'Wrong Wi-Fi password'],
  wifi_ssid_not_found: [422, 'Wi-Fi network not found'],
  wifi_no_address: [422, 'No IP address obtained'],
  wifi_eap_rejected: [422, 'Wi-Fi credentials rejected'],
  rate_limited: [429, 'Too many failed attempts'],
  headers_too_large: [431, 'Request headers too large'],
  internal_error: [500, 'Internal server error'],
  config_unreadable: [500, 'Configuration unreadable'],
  robot_error: [502, 'Robot error'],
  robot_unavailable: [503, 'Robot unavailable'],
  component_unavailable: [503, 'Component unavailable'],
  robot_timeout: [504, 'Robot timeout'],
  wifi_timeout: [504, 'Wi-Fi timeout'],
  storage_full: [507, 'Storage full'],
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

/**
 * The one error the domain throws. `code` decides status and title (see {@link PROBLEMS}). What the client has to mend
 * carries no stack: collecting it costs more than the rest of a refusal, and a flood of those must not delay a stop.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly Fault[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, { detail, errors, headers, members, cause }: ServiceErrorOptions) {
    const { stackTraceLimit } = Error;
    if (PROBLEMS[code][0] < 500) Error.stackTraceLimit = 0;
    super(detail, cause === undefined ? undefined : { cause });
    Error.stackTraceLimit = stackTraceLimit;
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

/** `not_found` for a path without a route. */
export function noSuchRoute(headers: Record<string, string> = {}): ServiceError {
  return new ServiceError('not_found', {
    detail: 'No route matches this path. /docs shows all routes to people; GET /openapi.json lists them for programs.',
    headers,
  });
}
