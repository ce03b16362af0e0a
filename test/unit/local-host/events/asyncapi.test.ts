import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { TOPICS } from '../../../../functions/shared/events/topics.ts';
import { createAsyncApiDocument } from '../../../../local-host/events/asyncapi.ts';
import { ROOT } from '../../../support/sources.ts';

const SCHEMA = join(ROOT, 'test/support/asyncapi/schema-3.1.0.json.gz');

function validator() {
  // The schema brings draft 07 with it.
  const ajv = new Ajv({ strict: false, meta: false, validateSchema: false });
  formats.default(ajv);
  return ajv;
}

describe('The AsyncAPI document', () => {
  it('is valid by the schema of AsyncAPI 3.1', () => {
    const schema = JSON.parse(gunzipSync(readFileSync(SCHEMA)).toString('utf8'));
    const validate = validator().compile(schema);
    const document = JSON.parse(JSON.stringify(createAsyncApiDocument()));
    validate(document);
    expect(validate.errors ?? []).toEqual([]);
    expect(validate({ ...document, operations: { bad: { action: 'fly' } } })).toBe(false);
  });

  it('has every topic, and no reference that leads nowhere', () => {
    const document = createAsyncApiDocument();
    expect(Object.keys(document.channels as object)).toEqual(['events', ...Object.keys(TOPICS)]);
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
    expect(references.length).toBeGreaterThan(50);
    const missing = references.filter((path) => at(document, path.split('/')) === undefined);
    expect(missing).toEqual([]);
  });
});

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], value);
}
