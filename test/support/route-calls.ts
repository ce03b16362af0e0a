import { z } from 'zod';
import { concretePaths } from '../../local-host/http/router.ts';
import { ROUTES, type Route } from '../../local-host/routes.ts';

export interface RouteCall {
  readonly route: Route;
  readonly method: string;
  /** Pattern of one version: `/api/v1/urdf/{filename}`. */
  readonly pattern: string;
}

/** Every route in every version. */
export const ROUTE_CALLS: readonly RouteCall[] = ROUTES.flatMap((route) =>
  concretePaths(route).map((pattern) => ({ route, method: route.method, pattern })),
);

/** The path with one text in the place of every parameter. */
export function filled(pattern: string, value: string): string {
  return pattern.replace(/\{\w+\+?\}/g, () => value);
}

interface Node {
  readonly properties?: Record<string, unknown>;
  readonly $ref?: string;
  readonly $defs?: Record<string, Node>;
  readonly anyOf?: readonly Node[];
  readonly allOf?: readonly Node[];
}

/** Names of the members a schema declares; none when it is no object. */
export function membersOf(schema: z.ZodType | undefined): string[] {
  if (schema === undefined) return [];
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Node; // as: the few keywords looked at
  const names = (node: Node): string[] => [
    ...Object.keys(node.properties ?? {}),
    ...(node.$ref === undefined ? [] : names(root.$defs?.[node.$ref.split('/').at(-1) ?? ''] ?? {})),
    ...[...(node.anyOf ?? []), ...(node.allOf ?? [])].flatMap(names),
  ];
  return [...new Set(names(root))];
}
