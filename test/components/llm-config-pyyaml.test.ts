import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../functions/shared/kit/json.ts';
import type { ConfigValue } from '../../functions/system/llm-config/yaml/config-value.ts';
import { parseDocument } from '../../functions/system/llm-config/yaml/document.ts';
import { patch } from '../../functions/system/llm-config/yaml/patch.ts';
import { describeWhen } from '../support/components.ts';
import { REALISTIC_YAML } from '../support/realistic-yaml.ts';
import { ROOT } from '../support/sources.ts';
import { writeDocument } from '../support/yaml-documents.ts';
import { valuesOf } from '../support/yaml-values.ts';

const PYTHON = '/usr/bin/python3';
const present = spawnSync(PYTHON, ['-c', 'import yaml']).status === 0;

type Reading = { readonly value: JsonValue } | { readonly error: string };

function readByPyYaml(texts: readonly string[]): Reading[] {
  const output = execFileSync(PYTHON, [join(ROOT, 'test/support/pyyaml.py')], {
    input: JSON.stringify(texts),
    maxBuffer: 1 << 28,
  });
  return JSON.parse(output.toString());
}

/** What PyYAML read before, with another value at a path. */
function withValue(before: JsonValue, path: readonly string[], wanted: JsonValue): JsonValue {
  const copy = structuredClone(before);
  let map = copy as JsonObject; // as: the documents are maps, and all but the last step of a path lead to maps
  for (const key of path.slice(0, -1)) map = map[key] as JsonObject;
  map[path.at(-1) ?? ''] = wanted;
  return copy;
}

describeWhen(present, 'PyYAML is not installed', 'A robot that reads its configuration with PyYAML', () => {
  it('reads every generated document after a patch with only the one value changed', () => {
    const cases = fc
      .sample(fc.gen(), { seed: 20261122, numRuns: 600 })
      .map((pick) => {
        const document = writeDocument(pick, 'loose');
        if (document.values.length === 0) return undefined;
        const { path, type } = pick(fc.constantFrom, ...document.values);
        const wanted = pick(valuesOf, type);
        return {
          path,
          wanted,
          before: document.text,
          after: patch(parseDocument(document.text), path.join('.'), wanted).text,
        };
      })
      .filter((one) => one !== undefined);
    const readings = readByPyYaml(cases.flatMap(({ before, after }) => [before, after]));
    let compared = 0;
    for (const [index, { path, wanted, before, after }] of cases.entries()) {
      const [first, second] = readings.slice(2 * index);
      if (first === undefined || 'error' in first) continue; // not YAML 1.1
      expect({ before, after, read: second }).toEqual({
        before,
        after,
        read: { value: withValue(first.value, path, wanted) },
      });
      compared += 1;
    }
    expect(compared).toBeGreaterThan(450);
  });

  it.each(REALISTIC_YAML)('reads $name after a patch with only the one value changed', ({ text, key, wanted }) => {
    const { text: after } = patch(parseDocument(text), key, wanted as ConfigValue); // as: JSON
    const [first, second] = readByPyYaml([text, after]);
    if (first === undefined || 'error' in first) throw new Error(JSON.stringify(first));
    expect(second).toEqual({ value: withValue(first.value, key.split('.'), wanted) });
  });
});
