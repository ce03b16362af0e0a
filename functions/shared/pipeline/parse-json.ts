import jsonBodyParser from '@middy/http-json-body-parser';
import { type Fault, ServiceError } from '../errors.ts';
import { unsafeIntegerIn } from '../kit/exact-json.ts';
import { refusals } from '../observability/ports.ts';
import type { PipelineRequest } from './exchange.ts';
import { jsonSize, parsedJsonFault } from './plain-json.ts';

// The media type has been checked: receive-body answers 415 by cause, this parser would for everything.
const options = { disableContentTypeCheck: true } as object; // as: the option is missing in middy's types
const parser = jsonBodyParser(options);
const parse = parser.before as unknown as (request: PipelineRequest) => Promise<void>; // as: our event's body may be parsed

/**
 * Parses the JSON body. Errors: malformed_json, also for an empty body where one is needed; validation_failed for JSON
 * that no schema of ours could mean.
 */
export async function parseJson(request: PipelineRequest): Promise<void> {
  if (request.event.body === '') {
    if (request.context.exchange.spec.bodyOptional) {
      delete request.event.body;
      return;
    }
    throw new ServiceError('malformed_json', { detail: 'The body is empty; a JSON object is needed.' });
  }
  const text = String(request.event.body);
  const size = jsonSize(text);
  if (typeof size !== 'number') {
    const { exchange } = request.context;
    const { path } = request.event.requestContext.http;
    (await exchange.host.ports.get(refusals)).note(
      'members',
      'Refused a body that is too deep or has too many members',
      {
        owner: exchange.caller?.keyId,
        path,
      },
    );
    throw refused(size);
  }
  try {
    await parse(request);
  } catch (error) {
    throw new ServiceError('malformed_json', {
      detail: `The body is not valid JSON: ${reasonOf(error)}.`,
      cause: error,
    });
  }
  const fault = parsedJsonFault(request.event.body, text, size);
  if (fault) throw refused(fault);
  if (request.context.exchange.spec.exactIntegers) requireExactIntegers(text);
}

function requireExactIntegers(text: string): void {
  const pointer = unsafeIntegerIn(text);
  if (pointer === undefined) return;
  const message = 'Integers must lie between -(2^53-1) and 2^53-1: beyond, they lose digits on the way.';
  throw new ServiceError('validation_failed', { detail: `${message} (${pointer})`, errors: [{ pointer, message }] });
}

function refused(fault: Fault): ServiceError {
  const where = fault.pointer === '' ? '' : ` (${fault.pointer})`;
  return new ServiceError('validation_failed', { detail: `${fault.message}${where}`, errors: [fault] });
}

/** Where the parser stopped, without the text it stopped at: the body may hold a secret. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { message?: string } | undefined) : undefined;
  const position = /at position \d+( \(line \d+ column \d+\))?/.exec(cause?.message ?? '');
  return position ? `unexpected text ${position[0]}` : 'it ends too early or holds an unexpected character';
}
