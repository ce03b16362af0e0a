import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exactJson, repeatedMemberIn, unsafeIntegerIn } from '../../../../functions/shared/kit/exact-json.ts';
import type { JsonValue } from '../../../../functions/shared/kit/json.ts';

describe('An integer beyond 2^53-1', () => {
  it.each([
    ['9007199254740992', ''],
    ['[1,-9007199254740993]', '/1'],
    ['{"a":[{"b":1},{"~":{"/":[[],12345678901234567890]}}],"c":1}', '/a/1/~0/~1/1'],
    ['{"a":{"x":1},"b\\"":10000000000000000}', '/b"'],
    ['{"1e5":[1e16],"b":10000000000000000}', '/b'],
  ])('is found in %s', (text, pointer) => {
    expect(unsafeIntegerIn(text)).toBe(pointer);
  });

  it.each([
    '9007199254740991',
    '1e16',
    '10000000000000000.0',
    '[1E400, 12345678901234567890e-3]',
    '"9007199254740993"',
    '{"9007199254740993":"\\"9007199254740993"}',
  ])('is not found in %s', (text) => {
    expect(unsafeIntegerIn(text)).toBeUndefined();
  });
});

describe('A member that is repeated', () => {
  it.each([
    ['{"value":1,"value":2}', '/value'],
    ['{"a":{"x":1},"b":[0,{"x":1,"y":2,"\\u0078":3}]}', '/b/1/x'],
    ['{"a/b":1,"a":{"a/b":2},"a/b":3}', '/a~1b'],
  ])('is found in %s', (text, pointer) => {
    expect(repeatedMemberIn(text)).toBe(pointer);
  });

  it.each(['{}', '{"a":{"a":{"a":1}},"b":["a","a"]}', '["a","a",{"a":"a"},{"a":"a"}]', '{"a":"\\"a\\":1","A":1}'])(
    'is not found in %s',
    (text) => {
      expect(repeatedMemberIn(text)).toBeUndefined();
    },
  );
});

describe('JSON that marks doubles', () => {
  it('writes whole ones beyond 2^53 with an exponent', () => {
    expect(exactJson({ a: [1e16, -(2 ** 60), 1e21, 5, 0.5], b: '1234567890123456', c: null })).toBe(
      '{"a":[1e+16,-1.152921504606847e+18,1e+21,5,0.5],"b":"1234567890123456","c":null}',
    );
  });

  it('reads back as the same value without an integer that would be refused', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.double({ noNaN: true, noDefaultInfinity: true }), (value, double) => {
        const text = exactJson([value as JsonValue, double]); // as: what a JSON value is
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify([value, double])));
        expect(unsafeIntegerIn(text)).toBeUndefined();
      }),
    );
  });
});
