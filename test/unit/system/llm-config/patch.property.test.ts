import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { ConfigMap } from '../../../../functions/system/llm-config/yaml/config-value.ts';
import { parseDocument } from '../../../../functions/system/llm-config/yaml/document.ts';
import { patch } from '../../../../functions/system/llm-config/yaml/patch.ts';
import { writeDocument } from '../../../support/yaml-documents.ts';
import { valuesOf } from '../../../support/yaml-values.ts';

/** Another parser than the one the service uses. */
const read = (text: string): ConfigMap =>
  parse(text, { schema: 'core', version: '1.2', strict: true, logLevel: 'error' });

describe('A patch of any document with any value', () => {
  it('changes only the bytes of that value and reads back correctly in a second parser', () => {
    fc.assert(
      fc.property(fc.gen(), (pick) => {
        const document = writeDocument(pick);
        const place = pick(fc.constantFrom, ...document.values);
        const wanted = pick(valuesOf, place.type);
        const { text: before } = document;
        const { text: after } = patch(parseDocument(before), place.path.join('.'), wanted);

        const onLineOfKey = place.end > place.start && !before.slice(place.colon, place.start).includes('\n');
        expect(after.startsWith(before.slice(0, onLineOfKey ? place.start : place.colon))).toBe(true);
        expect(after.endsWith(before.slice(place.end))).toBe(true);
        for (const { text, offset } of document.comments) {
          if (offset >= place.colon && offset < place.end) expect(after).toContain(text);
        }

        const expected = read(before);
        let map = expected;
        for (const key of place.path.slice(0, -1)) map = map[key] as ConfigMap; // as: all but the last step lead to maps
        map[place.path.at(-1) ?? ''] = wanted;
        expect(read(after)).toEqual(expected);
      }),
      { seed: 20261121, numRuns: 500 },
    );
  });
});
