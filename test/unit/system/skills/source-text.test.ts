import { describe, expect, it } from '@jest/globals';
import { encodingProblem } from '../../../../functions/system/skills/source-text.ts';

describe('The text of a source', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['ASCII', Buffer.from('pass\n')],
    ['every plane', Buffer.from('# ü 漢 🤖\n')],
    ['a byte order mark', Buffer.from('\ufeffpass\n')],
    ['a replacement character that was written', Buffer.from('# \ufffd\n')],
  ])('may be %s', (_what, bytes) => {
    expect(encodingProblem(bytes)).toBeUndefined();
  });

  it.each([
    ['a Latin-1 letter', Buffer.from('x = 1\n# gr\xfcn\n', 'latin1'), 2, 5],
    ['UTF-16', Buffer.from('\ufeffpass', 'utf16le'), 1, 1],
    ['a cut character at the end', Buffer.from('ü\nä🤖').subarray(0, -1), 2, 2],
    ['an overlong slash', Buffer.concat([Buffer.from('ab'), Buffer.from([0xc0, 0xaf])]), 1, 3],
    ['an encoded surrogate', Buffer.concat([Buffer.from('🤖\n🤖x'), Buffer.from([0xed, 0xa0, 0x80])]), 2, 3],
    ['a NUL', Buffer.from('a\nbü\0c'), 2, 3],
  ])('is refused with line and column: %s', (_what, bytes, line, column) => {
    expect(encodingProblem(bytes)).toMatchObject({ line, column });
  });

  it('is checked in bounded time, even with a line of a mebibyte', () => {
    const bytes = Buffer.alloc(1024 * 1024, 'a');
    bytes[bytes.length - 1] = 0xff;
    expect(encodingProblem(bytes)).toMatchObject({ line: 1, column: bytes.length });
  });
});
