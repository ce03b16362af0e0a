/** The access levels, most to least privileged, as they are sent over the wire (specification, section 5.12). */
export const ACCESS_LEVELS = ['ENCHANTER', 'ADMIN', 'USER'] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

/** Whether a level is the needed one or a more privileged one. */
export function isAtLeast(level: AccessLevel, needed: AccessLevel): boolean {
  return ACCESS_LEVELS.indexOf(level) <= ACCESS_LEVELS.indexOf(needed);
}

/**
 * Who may call an endpoint.
 * - `public`: anybody.
 * - `api-key`: the holder of an API key; over the Unix socket nobody has to show one.
 * - `any-token`: any valid token.
 * - `any-recent-token`: as `any-token`, or one of ours that expired less than 10 minutes ago; over the Unix socket
 *   none. It exists for `stop`: a robot must not run on because a token has just run out.
 * - a list of levels: a valid token of one of these levels.
 */
export type Access = 'public' | 'api-key' | 'any-token' | 'any-recent-token' | readonly AccessLevel[];

/** Whether one level is more privileged than another. */
export function isAbove(level: AccessLevel, other: AccessLevel): boolean {
  return ACCESS_LEVELS.indexOf(level) < ACCESS_LEVELS.indexOf(other);
}

/** Skills, Network and Services (specification, section 5.12). */
export const OPERATORS = ['ENCHANTER', 'ADMIN'] as const satisfies readonly AccessLevel[];
/** LLM configuration (specification, section 5.12). */
export const ENCHANTERS = ['ENCHANTER'] as const satisfies readonly AccessLevel[];

/** Who is calling, once the pipeline has decided it. `keyId` is `local` for callers over the Unix socket. */
export interface Caller {
  readonly clientId: string;
  readonly accessLevel: AccessLevel;
  readonly keyId: string;
  /** Level of its API key, where its own is lower. */
  readonly keyLevel?: AccessLevel;
  readonly username?: string;
  readonly mayPublish: boolean;
  /** When the session began, in seconds since the epoch: its first token was issued then. */
  readonly authTime?: number;
  /** When its token ends, in seconds since the epoch; absent for who needs none. */
  readonly expiresAt?: number;
}

/** Grace of `any-recent-token`, in seconds. */
export const RECENT_TOKEN_SECONDS = 600;
