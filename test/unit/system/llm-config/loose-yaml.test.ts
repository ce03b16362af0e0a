import { describe, expect, it } from '@jest/globals';
import { jsonText } from '../../../../functions/system/llm-config/yaml/config-value.ts';
import { parseDocument } from '../../../../functions/system/llm-config/yaml/document.ts';
import { patch } from '../../../../functions/system/llm-config/yaml/patch.ts';

const plain = (text: string): unknown => JSON.parse(jsonText(parseDocument(text).value));

describe('YAML indented less than YAML 1.2 requires', () => {
  it.each([
    ['a list closed at the margin', 'a: [\n  x\n]\n', { a: ['x'] }],
    ['a map closed at the margin', 'a: {\n  x: 1,\n}\nb: 2\n', { a: { x: 1 }, b: 2 }],
    ['items at the margin', 'a: [\nx,\ny\n]\n', { a: ['x', 'y'] }],
    ['a nested list', 'm:\n  n:\n    a: [\n      x\n  ]\n  b: 1\n', { m: { n: { a: ['x'] }, b: 1 } }],
    ['a list in a list of lines', 'a:\n  - b: [\n    1\n  ]\n  - 2\n', { a: [{ b: [1] }, 2] }],
    ['brackets in comments and texts', "a: [ # ]\n\"]\", # [\n'it''s ]', it's\n]\n", { a: [']', "it's ]", "it's"] }],
    ['CRLF and a byte order mark', '\ufeffa: [\r\n1\r\n]\r\nb: 2\r\n', { a: [1], b: 2 }],
    ['text in double quotes', 'a: "x \\"\ny"\nb: 1\n', { a: 'x " y', b: 1 }],
    ['text in single quotes', "a:\n  b: 'x\n\ny'\n", { a: { b: 'x\ny' } }],
    ['tags, anchors and aliases in brackets', 'a: [\n&x !!str 1, *x,\n!!str "]"\n]\n', { a: ['1', '1', ']'] }],
    [
      'block scalars and long texts full of brackets',
      'a: |\n  [x\nb: see\n  [y\nc: [\n]\n',
      { a: '[x\n', b: 'see [y', c: [] },
    ],
    ['a value on the line below its key', 'm:\n  a:\n    [\n  1 ]\n', { m: { a: [1] } }],
    ['keys in quotes and with question marks', '"a]": [\n]\n? b\n: {\n}\n', { 'a]': [], b: {} }],
  ])('is read: %s', (_what, text, value) => {
    expect(plain(text)).toEqual(value);
  });

  it.each([
    ['an item that cannot be', 'a: [\n1,\n  @x\n]\n', 'line 3, column 3'],
    ['a list that ends with the document', 'a: [\n1\n---\n]\n', 'line 3, column 1'],
    ['a list without an end', 'a: [\n1\nb: 2\n', 'line 3, column '],
    ['a line of a block that stands too far left', 'a:\n    b: [\n]\n  c: 1\n', 'line 4, column'],
  ])('is refused at its own line and column for %s', (_what, text, where) => {
    expect(() => parseDocument(text)).toThrow(where);
  });

  it('is read without growing beyond bounds', () => {
    const deep = ' '.repeat(400_000);
    expect(() => parseDocument(`m:\n${deep}a: [${'\n1,'.repeat(100_000)}\n]\n`)).toThrow('deficient indentation');
  });
});

describe('A block scalar at the end of the file', () => {
  it.each([
    ['a literal one', 'a: |\n  x', 'x'],
    ['one with a line break', 'a: |\n  x\n', 'x\n'],
    ['one that keeps its line breaks', 'a: |+\n  x\n\n  y', 'x\n\ny'],
    ['a folded one', 'a: >\r\n  x\r\n  y', 'x y'],
    ['one whose last line is blank', 'a: |\n  x\n  ', 'x\n'],
    ['one whose last line holds a blank', 'a: |\n  x\n   ', 'x\n '],
    ['one with an indentation indicator', 'a: |2\n   x', ' x'],
    ['one in a list closed at the margin', 'b: [\n]\na: |\n  x', 'x'],
  ])('ends with a line break only if the file does: %s', (_what, text, value) => {
    expect(plain(text)).toMatchObject({ a: value });
  });
});

describe('A duplicate key', () => {
  it.each([
    ['a: 1\nb: 2\na: 3\n', { a: 3, b: 2 }],
    ['m: {a: 1, a: [2]}\n', { m: { a: [2] } }],
    ['b: &b {a: 1}\nm:\n  a: 2\n  <<: *b\n  a: 3\n', { b: { a: 1 }, m: { a: 3 } }],
  ])('has its last value: %j', (text, value) => {
    expect(plain(text)).toEqual(value);
  });

  it.each(['a', 'm.x'])('is not changed: %s', (key) => {
    const document = parseDocument('a: 1\nm: {x: 1}\na: 3\nm: {x: 2, y: 1}\n');
    expect(() => patch(document, key, 5)).toThrow('more than once');
  });

  it('does not block changes of other keys', () => {
    const { text } = patch(parseDocument('a: 1\nb: 2\na: 3 # last\n'), 'b', 5);
    expect(text).toBe('a: 1\nb: 5\na: 3 # last\n');
  });
});

describe('An empty document', () => {
  it.each(['---\n# nothing yet\n', '--- # nothing\n...\n', '~\n'])('is an empty map: %j', (text) => {
    expect(plain(text)).toEqual({});
  });
});

describe('Tags of other programs', () => {
  it.each([
    ['a: !include x.yaml\n', { a: 'x.yaml' }],
    ['a: !ENV "${PORT}"\nb: !ENV 8000\n', { a: '${PORT}', b: 8000 }],
    ['a: !!python/tuple [1, !x 2]\n', { a: [1, 2] }],
    ['a: !<tag:example.org,2026:x> {b: 1}\nc: !vault |\n  x\n', { a: { b: 1 }, c: 'x\n' }],
    ['!key a: !empty\n', { a: null }],
    ['a: !!str 1\nb: !!int "2"\nc: !!float 3\n', { a: '1', b: 2, c: 3 }],
  ])('keep the plain value: %j', (text, value) => {
    expect(plain(text)).toEqual(value);
  });
});

describe('A number', () => {
  it('is an integer without point and exponent, otherwise a double', () => {
    const text = 'a: 1e16\nb: 10000000000000000\nc: 12345678901234567890.0\nd: -1.5E+300\ne: 9007199254740993\n';
    expect(jsonText(parseDocument(text).value)).toBe(
      '{"a":1e+16,"b":10000000000000000,"c":1.2345678901234567e+19,"d":-1.5e+300,"e":9007199254740993}',
    );
  });
});
