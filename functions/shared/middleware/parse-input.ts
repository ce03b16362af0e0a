import type * as z from 'zod';
import { type Fault, ServiceError } from '../errors.ts';
import type { InputSpec } from './endpoint.ts';
import type { PipelineRequest } from './exchange.ts';
import { escapePointer } from './plain-json.ts';

const PARTS = ['path', 'query', 'headers', 'body'] as const;
type Part = (typeof PARTS)[number];

/** Most faults one answer lists; a client mends them in rounds. */
const MAX_FAULTS = 20;

/**
 * Parses every part of the request with the endpoint's schemas, and hands the handler their results only.
 * Error: validation_failed with every fault; a query parameter the endpoint does not know is one.
 */
export function parseInput({ event, context: { exchange } }: PipelineRequest): void {
  const { spec } = exchange;
  const input: InputSpec = spec.input ?? {};
  const raw = {
    path: event.pathParameters ?? {},
    query: event.queryStringParameters ?? {},
    headers: event.headers,
    body: event.body,
  };
  const valid: Partial<Record<Part, unknown>> = {};
  const faults: Fault[] = [];
  for (const part of PARTS) {
    const schema = input[part];
    if (schema) {
      const parsed = schema.safeParse(raw[part]);
      if (parsed.success) valid[part] = parsed.data;
      else for (const issue of parsed.error.issues) faults.push(...faultsOf(part, issue));
    } else if (part === 'query' && spec.access !== 'public') {
      for (const name of Object.keys(raw.query))
        faults.push({ pointer: `query:${name}`, message: 'This query parameter is not known here.' });
    }
  }
  if (faults.length > 0) throw invalid(faults);
  exchange.valid = valid;
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

function faultsOf(part: Part, issue: z.core.$ZodIssue): Fault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: pointerOf(part, [...issue.path, key]),
      message: `"${key}" is not known here.`,
    }));
  }
  return [{ pointer: pointerOf(part, issue.path), message: issue.message }];
}

function pointerOf(part: Part, path: readonly PropertyKey[]): string {
  if (part === 'body') return path.map((key) => `/${escapePointer(String(key))}`).join('');
  return `${part === 'headers' ? 'header' : part}:${String(path[0] ?? '')}`;
}
