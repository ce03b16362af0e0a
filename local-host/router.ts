import findMyWay, { type HTTPMethod } from 'find-my-way';
import type { Method, Route } from './routes.ts';

export interface Match {
  readonly route: Route;
  /** `GET /api/{version}/volume/`: what log and metrics call it. */
  readonly routeKey: string;
  readonly params: Readonly<Record<string, string | undefined>>;
}

export interface Router {
  /** The route of a request; HEAD finds the GET route when it is safe. */
  find(method: string, path: string): Match | undefined;
  /** Methods that the path answers, for `Allow`; empty when the path is not known. */
  allowed(path: string): string[];
}

/** Where the API answers: directly, and as the public proxy forwards it. */
export const PREFIXES = ['', '/rest'] as const;
const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Longest path parameter that reaches a handler, which then says what is wrong with it. */
const MAX_PARAMETER = 4096;

/** Where each robot of a fleet answers. */
const FLEET_PREFIX = '/:robot_id(^[A-Za-z0-9_-]{1,64}$)/rest';

/** Builds the router of a route table: both prefixes, in a fleet also each robot's own, both slash forms, each version as a path of its own. */
export function createRouter(routes: readonly Route[], fleet: boolean): Router {
  const router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: MAX_PARAMETER });
  const prefixes = fleet ? [...PREFIXES, FLEET_PREFIX] : PREFIXES;
  for (const route of routes) {
    const entry = { route, routeKey: `${route.method} ${route.path}` };
    for (const path of concretePaths(route)) {
      for (const prefix of prefixes) router.on(route.method, prefix + pattern(path), () => undefined, entry);
    }
  }

  function lookUp(method: Method, path: string): Match | undefined {
    const found = router.find(method as HTTPMethod, path);
    if (!found) return undefined;
    const entry = found.store as Omit<Match, 'params'>; // as: the store given to `on` above
    return { route: entry.route, routeKey: entry.routeKey, params: named(entry.route, found.params) };
  }

  return {
    find(method, path) {
      if (method !== 'HEAD') return METHODS.includes(method as Method) ? lookUp(method as Method, path) : undefined;
      const match = lookUp('GET', path);
      return match?.route.safe ? match : undefined;
    },
    allowed(path) {
      return METHODS.flatMap((method) => {
        const match = lookUp(method, path);
        if (!match) return [];
        return match.route.safe ? [method, 'HEAD'] : [method];
      });
    },
  };
}

/** The paths of a route, one for each of its versions. */
export function concretePaths(route: Route): string[] {
  if (route.versions.length === 0) return [route.path];
  return route.versions.map((version) => route.path.replace('{version}', version));
}

function pattern(path: string): string {
  return path.replace(/\{(\w+)\+\}/, '*').replace(/\{(\w+)\}/g, ':$1');
}

function named(route: Route, params: Record<string, string | undefined>): Match['params'] {
  if (!('*' in params)) return params;
  const rest = /\{(\w+)\+\}/.exec(route.path)?.[1] ?? '*';
  return { ...params, '*': undefined, [rest]: params['*'] };
}
