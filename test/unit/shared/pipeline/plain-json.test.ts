import { describe, expect, it } from '@jest/globals';
import { plainJsonFault } from '../../../../functions/shared/pipeline/plain-json.ts';

describe('Plain JSON', () => {
  it.each(['{}', '[]', 'null', '"text"', '1e308', '{"a":[{"b":{"c":[1,2,3]}}]}', '['.repeat(64) + ']'.repeat(64)])(
    '%s passes',
    (text) => expect(plainJsonFault(JSON.parse(text))).toBeUndefined(),
  );

  it.each([
    ['1e999', ''],
    ['{"a":[0,{"b":-1e999}]}', '/a/1/b'],
    ['{"a/b":{"c~d":[1e999]}}', '/a~1b/c~0d/0'],
    ['{"a":{"__proto__":{"x":1}}}', '/a'],
    ['{"\\u005f_proto__":1}', ''],
    ['['.repeat(65) + ']'.repeat(65), ''],
    [`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, ''],
  ])('%.40s does not, and says where', (text, pointer) => {
    expect(plainJsonFault(JSON.parse(text))).toEqual({ pointer, message: expect.any(String) });
  });
});
