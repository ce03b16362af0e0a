import fc from 'fast-check';

// fast-check's own units for these build a table of all code points first, which takes seconds.
const codes = (...ranges: ReadonlyArray<readonly [min: number, max: number]>): fc.Arbitrary<string> =>
  fc.oneof(...ranges.map(([min, max]) => fc.integer({ min, max }))).map((code) => String.fromCodePoint(code));

/** Any character, control characters among them, ASCII often; half a surrogate pair is none. */
export const wholeCharacter = codes([0, 0x7f], [0, 0xd7ff], [0xe000, 0x10ffff]);

/** The same, and halves of surrogate pairs, which no UTF-8 can carry. */
export const anyCharacter = codes([0, 0x7f], [0, 0x10ffff], [0xd800, 0xdfff]);
