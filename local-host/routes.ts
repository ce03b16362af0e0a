import * as authenticateV1 from '../functions/auth/authenticate-v1.handler.ts';
import * as authenticateV2 from '../functions/auth/authenticate-v2.handler.ts';
import * as getJwks from '../functions/auth/get-jwks.handler.ts';
import * as refreshToken from '../functions/auth/refresh-token.handler.ts';
import type { Endpoint } from '../functions/shared/middleware/endpoint.ts';
import * as getStatus from '../functions/system/status/get-status.handler.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Version = 'v1' | 'v2';

export interface Route {
  readonly method: Method;
  /** Path with `{name}` for a segment and `{name+}` for the rest; `{version}` is one of `versions`. */
  readonly path: string;
  readonly endpoint: Endpoint;
  /** Versions that have it; a path without `{version}` has none. */
  readonly versions: readonly Version[];
  /** A GET without any effect: HEAD is answered too. */
  readonly safe: boolean;
  /** Also deployed to the cloud. */
  readonly cloud: boolean;
}

type Marks = { readonly versions?: readonly Version[]; readonly safe?: true; readonly cloud?: true };

function route(method: Method, path: string, module: { handler: Endpoint }, marks: Marks = {}): Route {
  const versions = marks.versions ?? (path.includes('{version}') ? (['v1', 'v2'] as const) : []);
  return { method, path, endpoint: module.handler, versions, safe: marks.safe ?? false, cloud: marks.cloud ?? false };
}

const SAFE = { safe: true } as const;
const CLOUD = { cloud: true } as const;

/** Every route of the service, grouped as the specification is. All answer under `/` and `/rest/`, with and without a trailing slash. */
export const ROUTES: readonly Route[] = [
  // Authentication
  route('GET', '/api/{version}/auth/', authenticateV1, { versions: ['v1'], ...CLOUD }),
  route('GET', '/api/{version}/auth/', authenticateV2, { versions: ['v2'], ...CLOUD }),
  route('GET', '/api/{version}/auth/refresh/', refreshToken, { versions: ['v2'], ...CLOUD }),
  route('GET', '/.well-known/jwks.json', getJwks, { ...SAFE, ...CLOUD }),

  // Status and documentation
  route('GET', '/status', getStatus, { ...SAFE, ...CLOUD }),
];
