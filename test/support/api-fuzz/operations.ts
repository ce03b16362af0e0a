import fc from 'fast-check';
import { anyCharacter } from '../characters.ts';
import type { HttpCall } from '../http.ts';
import { arbitraryOf, type Find, mutated, type Schema } from './schema-arbitrary.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

/** The part of the OpenAPI document that requests are made from and answers are held against. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
}
interface OperationObject {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

export interface Operation extends OperationObject {
  readonly method: string;
  readonly path: string;
}

/** What a request says, apart from its method and path. */
export interface Sent {
  readonly values: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** What makes headers of many forms matter, where chance would never hit. */
const TELLING: Readonly<Record<string, string>> = { 'if-none-match': '*', range: 'bytes=0-3' };

export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  );
}

/** Follows `#/…` references of a document. */
export function finder(document: Document): Find {
  return (reference) => {
    let node: unknown = document;
    for (const part of reference.split('/').slice(1)) node = (node as Record<string, unknown>)[part]; // as: a pointer into the document
    return node as Schema; // as: references of schemas lead to schemas
  };
}

/** Requests of an operation; a mutated one strays from its schemas in one place at least. */
export function requestsOf(operation: Operation, find: Find, stray: boolean): fc.Arbitrary<Sent> {
  const parameters = operation.parameters ?? [];
  const value = ({ name, schema }: Parameter) => {
    const telling = TELLING[name];
    const made = arbitraryOf(schema, find);
    const fitting = telling === undefined ? made : fc.oneof(fc.constant(telling), made);
    return stray ? fc.oneof(fitting, fc.string({ minLength: 1, unit: anyCharacter, maxLength: 20 })) : fitting;
  };
  const values = fc.record(Object.fromEntries(parameters.map((parameter) => [parameter.name, value(parameter)])), {
    requiredKeys: parameters
      .filter((parameter) => parameter.required && !(stray && parameter.in !== 'path'))
      .map(({ name }) => name),
  });
  const content = Object.values(operation.requestBody?.content ?? {})[0];
  if (!content) return fc.record({ values });
  const fitting = arbitraryOf(content.schema, find);
  const exemplary = content.example === undefined ? fitting : fc.oneof(fc.constant(content.example), fitting);
  return fc.record({ values, body: stray ? mutated(exemplary) : exemplary });
}

/** The request of an operation as it goes over the wire. */
export function wireOf(
  { method, path, parameters = [], requestBody }: Operation,
  { values, body }: Sent,
): { readonly target: string; readonly call: HttpCall } {
  const headers: Record<string, string> = { 'x-api-key': 'rk_k1' };
  for (const { name, in: place } of parameters) {
    if (place === 'header' && values[name] !== undefined)
      headers[name] = textOf(values[name]).replace(/[^\x20-\x7e]/g, '~');
  }
  const target = targetOf(path, parameters, values);
  const type = Object.keys(requestBody?.content ?? {})[0];
  if (type === undefined) return { target, call: { method, headers } };
  if (type === 'multipart/form-data') {
    headers['content-type'] = `${type}; boundary=fuzz`;
    return { target, call: { method, headers, body: multipart(body) } };
  }
  headers['content-type'] = type;
  if (type !== 'application/json') return { target, call: { method, headers, body: textOf(body) ?? '' } };
  return { target, call: { method, headers, body: JSON.stringify(body) } };
}

/** With U+FFFD for what cannot be sent as UTF-8. */
const wellFormed = (value: string) => Buffer.from(value).toString();
const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function targetOf(path: string, parameters: readonly Parameter[], values: Sent['values']): string {
  const given = (place: Parameter['in']) =>
    parameters.filter((one) => one.in === place && values[one.name] !== undefined);
  let target = path;
  // What a client cannot spell as one segment stands for nothing; lone surrogates cannot be sent at all.
  for (const { name } of given('path'))
    target = target.replace(`{${name}}`, encodeURIComponent(wellFormed(textOf(values[name])) || 'x'));
  const query = new URLSearchParams(Object.fromEntries(given('query').map(({ name }) => [name, textOf(values[name])])));
  return `${target}?${query}`;
}

function multipart(body: unknown): Buffer {
  const members = Object.entries(typeof body === 'object' && body !== null ? body : { file: body });
  const parts = members.map(([name, value]) => {
    const file = name === 'file' || name === 'skill' ? '; filename="fuzz.py"' : '';
    const head = `content-disposition: form-data; name="${encodeURIComponent(name)}"${file}`;
    return `--fuzz\r\n${head}\r\n\r\n${textOf(value)}\r\n`;
  });
  return Buffer.from(`${parts.join('')}--fuzz--\r\n`);
}
