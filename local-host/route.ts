import type { Endpoint } from '../functions/shared/pipeline/endpoint.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Version = 'v1' | 'v2';

export interface Route {
  readonly method: Method;
  /** `{name}` matches a segment and `{name+}` the rest of the path; `{version}` is one of `versions`. */
  readonly path: string;
  readonly endpoint: Endpoint;
  /** API versions that have the route; empty for a path without `{version}`. */
  readonly versions: readonly Version[];
  /** Also deployed as a Lambda function. */
  readonly cloud: boolean;
}

type RouteOptions = { readonly versions?: readonly Version[]; readonly cloud?: true };

/** A row of the route table; without `versions`, a path with `{version}` is in both. */
export function route(method: Method, path: string, module: { handler: Endpoint }, options: RouteOptions = {}): Route {
  const versions = options.versions ?? (path.includes('{version}') ? (['v1', 'v2'] as const) : []);
  return { method, path, endpoint: module.handler, versions, cloud: options.cloud ?? false };
}
