import { segment } from './http.ts';
import type { paths } from './openapi.ts';
import type { Session } from './session.ts';

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have a method. */
export type PathOf<M extends HttpMethod> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];

type OperationOf<P extends keyof paths, M> = M extends keyof paths[P] ? paths[P][M] : never;
type PartOf<Operation, Part extends string> = Operation extends { parameters: { [K in Part]?: infer Given } }
  ? Exclude<Given, undefined>
  : never;
type JsonIn<Content> = Content extends { content: { 'application/json': infer Json } } ? Json : never;
type Success<Responses> = Responses extends { 200: infer Answer } ? Answer : Responses[keyof Responses];

/** What an operation takes: `path`, `query` and `body`, as far as it has them. */
export type InputOf<P extends keyof paths, M> = ([PartOf<OperationOf<P, M>, 'path'>] extends [never]
  ? { path?: never }
  : { path: PartOf<OperationOf<P, M>, 'path'> }) &
  (OperationOf<P, M> extends { parameters: { query: infer Query } }
    ? { query: Query }
    : { query?: PartOf<OperationOf<P, M>, 'query'> }) &
  (OperationOf<P, M> extends { requestBody: infer Body }
    ? { body: JsonIn<Body> }
    : { body?: OperationOf<P, M> extends { requestBody?: infer Body } ? JsonIn<Exclude<Body, undefined>> : never });

/** The JSON that it answers. */
export type OutputOf<P extends keyof paths, M> =
  OperationOf<P, M> extends { responses: infer Responses } ? JsonIn<Success<Responses>> : never;

export interface AnyInput {
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/** Any operation that takes and answers JSON, checked by the compiler. @throws RobotRestError. */
export async function callOperation(session: Session, method: string, path: string, input: AnyInput): Promise<unknown> {
  const filled = path.replace(/\{([^{}]+)\}/g, (_, name: string) => segment(String(input.path?.[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {}))
    if (value !== undefined) query.set(name, String(value));
  const target = query.size > 0 ? `${filled}?${query}` : filled;
  return (
    await session.request(method.toUpperCase(), target, input.body === undefined ? {} : { json: input.body })
  ).json();
}
