/** Why a connection was closed (RFC 6455, section 7.4; 4000 and above are the service's own). */
export const CLOSE = {
  tooManyFrames: 1008,
  internalError: 1011,
  restart: 1012,
  tooSlow: 1013,
  tokenEnded: 4401,
  keyRevoked: 4403,
  silent: 4408,
} as const;
