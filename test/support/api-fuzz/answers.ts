import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { HttpAnswer } from '../http.ts';
import { exact } from './exact-document.ts';
import type { Document, Operation } from './operations.ts';

const pointer = (...parts: string[]) =>
  parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Holds answers against what the document says of their operation, and refuses what it does not mention. */
export class Answers {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });

  constructor(document: Document) {
    formats.default(this.#ajv);
    this.#ajv.addSchema(exact(document), 'api');
  }

  /** What is wrong with an answer, if anything, in words. */
  faultIn({ method, path, responses }: Operation, { status, headers, json, text }: HttpAnswer): string | undefined {
    if (status === 500) return `500: ${text}`;
    const documented = responses[String(status)];
    if (!documented) return `${status} is not documented: ${text.slice(0, 120)}`;
    if (text === '') return undefined;
    const mediaType = (headers['content-type'] ?? '').split(';')[0] ?? '';
    if (status >= 400 && mediaType !== 'application/problem+json') return `${status} came as ${mediaType}`;
    if (documented.content?.[mediaType] === undefined) return `${status} as ${mediaType} is not documented`;
    if (json === undefined) return undefined;
    const place = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', mediaType, 'schema'];
    const $ref = `api#${pointer(...place)
      .split('/')
      .map(encodeURIComponent)
      .join('/')}`;
    const validate = this.#ajv.getSchema($ref) ?? this.#ajv.compile({ $ref });
    if (validate(json)) return undefined;
    return `${status} does not fit its schema: ${this.#ajv.errorsText(validate.errors)}: ${text.slice(0, 120)}`;
  }
}
