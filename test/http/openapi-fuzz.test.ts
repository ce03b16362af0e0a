import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { give } from '../../functions/shared/port.ts';
import { keyStore } from '../../functions/shared/ports.ts';
import { FakeKeyStore } from '../support/auth.ts';
import type { HttpAnswer } from '../support/http.ts';
import { arbitraryOf, mutated, type Schema } from '../support/schema-arbitrary.ts';
import { startTestService, type TestService } from '../support/service.ts';

const SEED = 20_261_121;
const VALID = 12;
const MUTATED = 18;
/** For operations that may wait, and for all the others, which never should. */
const PATIENCE_MS = { waiting: 300, other: 15_000 };
/** No further request to an operation that has taken so long already: the whole stays bounded. */
const SHARE_MS = 150;

/** They wait for a mission or follow a log by design; a request may then end by the client's patience instead. */
const MAY_WAIT = /\/(str|commands\/\{command\}|service\/[^/]+\/[^/]+)\/$|\/service\//;

/** What makes headers of many forms matter, where chance would never hit. */
const TELLING: Readonly<Record<string, string>> = { 'if-none-match': '*', range: 'bytes=0-3' };

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Operation {
  readonly security?: readonly Record<string, unknown>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };
interface Sent {
  readonly values: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

let service: TestService;
let document: Document;
let ajv: Ajv2020;
beforeAll(async () => {
  service = await startTestService({
    settings: { SERVICE_COMMAND_TIMEOUT_MS: '1000' },
    given: [give(keyStore, new FakeKeyStore())],
  });
  document = (await service.as(undefined, '/openapi.json')).json;
  ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, 'api');
});
afterAll(() => service.stop());

const pointer = (...parts: string[]) =>
  parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

function find(reference: string): Schema {
  let node: unknown = document;
  for (const part of reference.split('/').slice(1)) node = (node as Record<string, unknown>)[part]; // as: a pointer into the document
  return node as Schema; // as: references of schemas lead to schemas
}

/** Requests of an operation; a mutated one strays from its schemas in one place at least. */
function requestsOf(operation: Operation, stray: boolean): fc.Arbitrary<Sent> {
  const parameters = operation.parameters ?? [];
  const value = ({ name, schema }: Parameter) => {
    const telling = TELLING[name];
    const made = arbitraryOf(schema, find);
    const fitting = telling === undefined ? made : fc.oneof(fc.constant(telling), made);
    return stray ? fc.oneof(fitting, fc.string({ minLength: 1, unit: 'binary', maxLength: 20 })) : fitting;
  };
  const values = fc.record(Object.fromEntries(parameters.map((parameter) => [parameter.name, value(parameter)])), {
    requiredKeys: parameters
      .filter((parameter) => parameter.required && !(stray && parameter.in !== 'path'))
      .map(({ name }) => name),
  });
  const content = Object.values(operation.requestBody?.content ?? {})[0];
  if (!content) return fc.record({ values, body: fc.constant(undefined) });
  const fitting = arbitraryOf(content.schema, find);
  const exemplary = content.example === undefined ? fitting : fc.oneof(fc.constant(content.example), fitting);
  return fc.record({ values, body: stray ? mutated(exemplary) : exemplary });
}

/** With U+FFFD for what cannot be sent as UTF-8. */
const wellFormed = (value: string) => Buffer.from(value).toString();
const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function targetOf(path: string, parameters: readonly Parameter[], values: Sent['values']): string {
  const given = (place: Parameter['in']) =>
    parameters.filter((one) => one.in === place && values[one.name] !== undefined);
  let target = path;
  // What a client cannot spell as one segment stands for nothing; lone surrogates cannot be sent at all.
  for (const { name } of given('path'))
    target = target.replace(`{${name}}`, encodeURIComponent(wellFormed(text(values[name])) || 'x'));
  const query = new URLSearchParams(Object.fromEntries(given('query').map(({ name }) => [name, text(values[name])])));
  return `${target}?${query}`;
}

function multipart(body: unknown): Buffer {
  const members = Object.entries(typeof body === 'object' && body !== null ? body : { file: body });
  const parts = members.map(([name, value]) => {
    const file = name === 'file' || name === 'skill' ? '; filename="fuzz.py"' : '';
    return `--fuzz\r\ncontent-disposition: form-data; name="${encodeURIComponent(name)}"${file}\r\n\r\n${text(value)}\r\n`;
  });
  return Buffer.from(`${parts.join('')}--fuzz--\r\n`);
}

async function send(
  method: string,
  path: string,
  operation: Operation,
  { values, body }: Sent,
): Promise<HttpAnswer | undefined> {
  const parameters = operation.parameters ?? [];
  const headers: Record<string, string> = { 'x-api-key': 'rk_k1' };
  for (const { name, in: place } of parameters) {
    if (place === 'header' && values[name] !== undefined)
      headers[name] = text(values[name]).replace(/[^\x20-\x7e]/g, '~');
  }
  const type = Object.keys(operation.requestBody?.content ?? {})[0];
  if (type !== undefined) headers['content-type'] = type === 'multipart/form-data' ? `${type}; boundary=fuzz` : type;
  const payload = type === 'multipart/form-data' ? multipart(body) : JSON.stringify(body);
  const call = {
    method,
    headers,
    signal: AbortSignal.timeout(MAY_WAIT.test(path) ? PATIENCE_MS.waiting : PATIENCE_MS.other),
    ...(type === undefined ? {} : { body: payload }),
  };
  try {
    return await service.as('ENCHANTER', targetOf(path, parameters, values), call);
  } catch (error) {
    if (MAY_WAIT.test(path)) return undefined;
    throw new Error(`${method} ${path} did not answer`, { cause: error });
  }
}

/** What is wrong with an answer, if anything, in words. */
function faultIn(
  method: string,
  path: string,
  operation: Operation,
  { status, headers, json, text }: HttpAnswer,
): string | undefined {
  if (status === 500) return `500: ${text}`;
  const documented = operation.responses[String(status)];
  if (!documented) return `${status} is not documented: ${text.slice(0, 120)}`;
  if (text === '') return undefined;
  const mediaType = (headers['content-type'] ?? '').split(';')[0] ?? '';
  if (status >= 400 && mediaType !== 'application/problem+json') return `${status} came as ${mediaType}`;
  if (documented.content?.[mediaType] === undefined) return `${status} as ${mediaType} is not documented`;
  if (json === undefined) return undefined;
  const place = pointer(
    'paths',
    path,
    method.toLowerCase(),
    'responses',
    String(status),
    'content',
    mediaType,
    'schema',
  );
  const $ref = `api#${place.split('/').map(encodeURIComponent).join('/')}`;
  const validate = ajv.getSchema($ref) ?? ajv.compile({ $ref });
  return validate(json)
    ? undefined
    : `${status} does not fit its schema: ${ajv.errorsText(validate.errors)}: ${text.slice(0, 120)}`;
}

describe('Every operation of /openapi.json, asked with requests made from its own schemas', () => {
  it.each([
    ['that fit', false, VALID],
    ['that stray', true, MUTATED],
  ] as const)(
    '%s, answers as it is documented',
    async (_name, stray, count) => {
      const faults = new Set<string>();
      const succeeded = new Set<string>();
      let answered = 0;
      for (const [path, item] of Object.entries(document.paths)) {
        for (const [method, operation] of Object.entries(item)) {
          const begun = performance.now();
          for (const sent of fc.sample(requestsOf(operation, stray), { seed: SEED, numRuns: count })) {
            if (performance.now() - begun > SHARE_MS) break;
            const answer = await send(method.toUpperCase(), path, operation, sent);
            if (!answer) continue;
            answered += 1;
            if (answer.status < 300) succeeded.add(`${method} ${path}`);
            const fault = faultIn(method, path, operation, answer);
            if (fault !== undefined) faults.add(`${method.toUpperCase()} ${path}: ${fault}`);
          }
        }
      }
      expect([...faults]).toEqual([]);
      expect(answered).toBeGreaterThan(Object.keys(document.paths).length);
    },
    60_000,
  );
});
