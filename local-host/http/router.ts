import findMyWay, { type HTTPMethod } from 'find-my-way';
import type { Method, Route } from '../routes.ts';

export interface Match {
  readonly route: Route;
  /** `GET /api/{version}/volume/`: its name in the log and metrics. */
  readonly routeKey: string;
  readonly params: Readonly<Record<string, string | undefined>>;
}

export interface Router {
  /** The route of a request; HEAD finds the GET route if that has no effect. */
  find(method: string, path: string): Match | undefined;
  /** Methods of the path, for `Allow`; empty if the path is unknown. */
  allowed(path: string): string[];
}

/** Path prefixes of the API: direct, and as forwarded by the public proxy. */
export const PREFIXES = ['', '/rest'] as const;
const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Longest path parameter that still reaches a handler, which can then explain what is wrong with it. */
const MAX_PARAMETER_LENGTH = 4096;

/** Path prefix of each robot in a fleet. */
const FLEET_PREFIX = '/:robot_id(^[A-Za-z0-9_-]{1,64}$)/rest';

/**
 * Builds the router for a route table. Each route is registered per version and prefix (in a fleet including the prefix
 * of each robot), and matches with and without a trailing slash.
 */
export function createRouter(routes: readonly Route[], fleet: boolean): Router {
  const router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: MAX_PARAMETER_LENGTH });
  const fixedPaths = routes.flatMap(concretePaths).filter((path) => !path.includes('{'));
  const prefixes = fleet ? [...PREFIXES, FLEET_PREFIX] : PREFIXES;
  for (const route of routes) {
    for (const path of concretePaths(route)) {
      const entry = { route, routeKey: `${route.method} ${route.path}`, taken: takenFrom(path, fixedPaths) };
      for (const prefix of prefixes) router.on(route.method, prefix + pattern(path), () => undefined, entry);
    }
  }

  function lookup(method: Method, path: string): Match | undefined {
    const found = router.find(method as HTTPMethod, path);
    if (!found) return undefined;
    const entry = found.store as Omit<Match, 'params'> & { readonly taken: readonly string[] }; // as: the store given to `on` above
    if (entry.taken.some((taken) => path.replace(/\/$/, '').endsWith(taken))) return undefined;
    return { route: entry.route, routeKey: entry.routeKey, params: nameWildcard(entry.route, found.params) };
  }

  return {
    find(method, path) {
      if (method !== 'HEAD') return METHODS.includes(method as Method) ? lookup(method as Method, path) : undefined;
      const match = lookup('GET', path);
      return match && answersHead(match.route) ? match : undefined;
    },
    allowed(path) {
      return METHODS.flatMap((method) => {
        const match = lookup(method, path);
        if (!match) return [];
        return answersHead(match.route) ? [method, 'HEAD'] : [method];
      });
    },
  };
}

/** HEAD is a GET whose body is left out, so that it must change nothing. */
export function answersHead({ method, endpoint }: Route): boolean {
  return method === 'GET' && endpoint.spec.effects === undefined;
}

/** The paths of a route, one per version. */
export function concretePaths(route: Route): string[] {
  if (route.versions.length === 0) return [route.path];
  return route.versions.map((version) => route.path.replace('{version}', version));
}

/** The fixed paths that a path with a parameter fits too: they belong to their own route, whatever the method. */
function takenFrom(path: string, fixedPaths: readonly string[]): string[] {
  if (!/\{\w+\}/.test(path)) return [];
  const segments = path.split('/');
  const fits = (fixed: string) => {
    const others = fixed.split('/');
    return others.length === segments.length && segments.every((one, n) => one.startsWith('{') || one === others[n]);
  };
  return fixedPaths.filter((fixed) => fits(fixed) && !fixed.endsWith('/'));
}

function pattern(path: string): string {
  return path
    .replace(/\{(\w+)\+\}/, '*')
    .replace(/\{(\w+)\}(?=\.)/g, ':$1([^]+)') // before an ending, the router's own pattern takes no line break
    .replace(/\{(\w+)\}/g, ':$1');
}

function nameWildcard(route: Route, params: Record<string, string | undefined>): Match['params'] {
  if (!('*' in params)) return params;
  const rest = /\{(\w+)\+\}/.exec(route.path)?.[1] ?? '*';
  return { ...params, '*': undefined, [rest]: params['*'] };
}
