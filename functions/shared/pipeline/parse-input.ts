import type * as z from 'zod';
import { type Fault, ServiceError } from '../errors.ts';
import { jsonPointer } from '../kit/json.ts';
import type { PipelineRequest } from './exchange.ts';
import { messagesFor, type Part, unknownName } from './issue-messages.ts';
import type { InputSpec } from './spec.ts';

const PARTS = ['path', 'query', 'headers', 'body'] as const satisfies readonly Part[];

/** Most faults one answer lists; a client mends them in rounds. */
const MAX_FAULTS = 20;

/** Query parameters that only keep caches away; they mean nothing here. */
const IGNORED_QUERY = ['_', 'cb', 'nocache'];

/**
 * Parses every part of the request with the endpoint's schemas, and hands the handler their results only.
 * Error: validation_failed with every fault; a query parameter that the endpoint does not know, or that comes twice, is
 * one.
 */
export function parseInput({ event, context: { exchange } }: PipelineRequest): void {
  const { spec } = exchange;
  const input: InputSpec = spec.input ?? {};
  const faults: Fault[] = [];
  const raw = {
    path: event.pathParameters ?? {},
    query: spec.anyQuery || event.rawQueryString === '' ? {} : readQuery(event, faults),
    headers: event.headers,
    body: event.body,
  };
  const valid: Partial<Record<Part, unknown>> = {};
  for (const part of PARTS) {
    const schema = input[part];
    if (schema) {
      const parsed = schema.safeParse(raw[part], messagesFor(part));
      if (parsed.success) valid[part] = parsed.data;
      else for (const issue of parsed.error.issues) faults.push(...faultsOf(part, issue));
    } else if (part === 'query') {
      for (const name of Object.keys(raw.query))
        faults.push({ pointer: `query:${name}`, message: unknownName('query', [], name) });
    }
  }
  if (faults.length > 0) throw invalid(faults);
  exchange.valid = valid;
}

/** The query parameters that count. A name that comes twice is a fault: which one is meant is anybody's guess. */
function readQuery({ rawQueryString, queryStringParameters }: PipelineRequest['event'], faults: Fault[]): Query {
  const query: Query = { ...queryStringParameters };
  for (const name of IGNORED_QUERY) delete query[name];
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const name of new URLSearchParams(rawQueryString).keys()) {
    if (seen.has(name) && !IGNORED_QUERY.includes(name)) repeated.add(name);
    seen.add(name);
  }
  for (const name of repeated) {
    faults.push({ pointer: `query:${name}`, message: `"${name}" is in the query more than once; send it once.` });
  }
  return query;
}

type Query = Record<string, string | undefined>;

/** Refuses a query where no parameter is known. @throws ServiceError `validation_failed` that lists its parameters. */
export function assertNoQuery(rawQueryString: string): void {
  const names = new Set(new URLSearchParams(rawQueryString).keys());
  for (const name of IGNORED_QUERY) names.delete(name);
  if (names.size === 0) return;
  throw invalid([...names].map((name) => ({ pointer: `query:${name}`, message: unknownName('query', [], name) })));
}

/** `validation_failed` whose detail names the first fault. */
export function invalid(faults: readonly Fault[]): ServiceError {
  const [first] = faults;
  const where = first && first.pointer !== '' ? ` (${first.pointer})` : '';
  return new ServiceError('validation_failed', {
    detail: first ? `${first.message}${where}` : 'The request does not fit its schema.',
    errors: faults.slice(0, MAX_FAULTS),
  });
}

/** What one issue of a schema says to the client; several faults where several names are unknown. */
export function faultsOf(part: Part, issue: z.core.$ZodIssue): Fault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: pointerOf(part, [...issue.path, key]),
      message: unknownName(part, issue.path, key, issue.message),
    }));
  }
  return [{ pointer: pointerOf(part, issue.path), message: issue.message }];
}

function pointerOf(part: Part, path: readonly PropertyKey[]): string {
  if (part === 'body' || part === 'message') return jsonPointer(path);
  return `${part === 'headers' ? 'header' : part}:${String(path[0] ?? '')}`;
}
