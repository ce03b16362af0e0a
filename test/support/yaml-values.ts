import fc from 'fast-check';
import type { JsonValue } from '../../functions/shared/kit/json.ts';
import { wholeCharacter } from './characters.ts';
import type { WrittenValue } from './yaml-documents.ts';

const strings = fc.oneof(
  fc.string({ unit: wholeCharacter }),
  fc.constantFrom(
    '',
    'on',
    'null',
    '0x1F',
    '- a',
    'a: b',
    'a #b',
    '#',
    "it's",
    '"',
    '\\',
    'x\ny\n',
    'x\n\n',
    ' lead',
    'trail ',
    '\u0085',
    '\u2028',
    '\ufeff',
    '😀',
    '*a',
    '&a',
    '!a',
    '%a',
    '@a',
    '`',
    '|',
    '>',
    '---',
    '...',
    '[',
    '}',
    ',',
    '?',
    ':',
  ),
);
const exact = (value: unknown): boolean =>
  !/"__proto__":/.test(JSON.stringify(value)) &&
  !/\d{16}/.test(JSON.stringify(value)) &&
  !/e\+/.test(JSON.stringify(value));
const json = fc.jsonValue({ maxDepth: 3 }).filter(exact) as fc.Arbitrary<JsonValue>; // as: what a JSON value is

/** Values of one type; any value where null stands. */
export function valuesOf(type: WrittenValue['type']): fc.Arbitrary<JsonValue> {
  switch (type) {
    case 'string':
      return strings;
    case 'number':
      return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }).filter(exact));
    case 'boolean':
      return fc.boolean();
    case 'list':
      return fc.array(fc.oneof(json, strings), { maxLength: 4 });
    case 'map':
      return fc.dictionary(
        strings.filter((key) => key !== '__proto__' && key !== '<<'),
        json,
        { maxKeys: 4, noNullPrototype: true },
      );
    default:
      return fc.oneof(json, strings);
  }
}
