import type { Endpoint } from '../functions/shared/middleware/endpoint.ts';
import * as getLogs from '../functions/system/services/get-logs.handler.ts';
import * as listServices from '../functions/system/services/list-services.handler.ts';
import * as getStatus from '../functions/system/status/get-status.handler.ts';
import * as getVolume from '../functions/system/volume/get-volume.handler.ts';
import * as setVolume from '../functions/system/volume/set-volume.handler.ts';

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
  // Audio
  route('GET', '/api/{version}/volume/', getVolume),
  route('POST', '/api/{version}/volume/', setVolume),

  // System services
  route('GET', '/api/{version}/service/get_services_list', listServices),
  route('GET', '/api/{version}/service/{system}/{service_name}', getLogs),

  // Status and documentation
  route('GET', '/status', getStatus, { ...SAFE, ...CLOUD }),
];
