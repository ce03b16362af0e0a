import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import type { ConfigValue } from '../../../../functions/system/llm-config/yaml/config-value.ts';
import { parseDocument } from '../../../../functions/system/llm-config/yaml/document.ts';
import { patch } from '../../../../functions/system/llm-config/yaml/patch.ts';

function patched(before: string, key: string, value: ConfigValue): string {
  return patch(parseDocument(before), key, value).text;
}

type Row = readonly [what: string, before: string, key: string, value: ConfigValue, after: string];

const SCALARS: readonly Row[] = [
  ['a number', 'a: 1 # one\nb: 2\n', 'a', 3, 'a: 3 # one\nb: 2\n'],
  ['a fraction where an integer stands', 'a:   1\n', 'a', 0.5, 'a:   0.5\n'],
  ['a boolean', 'a: true\n', 'a', false, 'a: false\n'],
  ['a word by a word', 'a: one\n', 'a', 'two', 'a: two\n'],
  ['a word by one that YAML would read otherwise', 'a: one\n', 'a', 'null', "a: 'null'\n"],
  ['a word by one that only YAML 1.1 would read otherwise', 'a: one\n', 'a', 'on', "a: 'on'\n"],
  ['a word by text with a comment sign', 'a: one\n', 'a', 'x #y', "a: 'x #y'\n"],
  ['text in single quotes', "a: 'one' # c\n", 'a', "it's", "a: 'it''s' # c\n"],
  ['text in double quotes', 'a: "one"\n', 'a', 'two', 'a: "two"\n'],
  ['text in double quotes by several lines', 'a: "one"\n', 'a', 'x\ny\n', 'a: "x\\ny\\n"\n'],
  ['a word by several lines', 'a: one\nb: 2\n', 'a', 'x\ny', 'a: "x\\ny"\nb: 2\n'],
  ['text over several lines', 'a: one\n  two # c\nb: 2\n', 'a', 'x', 'a: x # c\nb: 2\n'],
  ['text by the empty text', 'a: one\n', 'a', '', "a: ''\n"],
  ['a number at the end of a file without a line break', 'a: 1', 'a', 2, 'a: 2'],
  ['a number by a whole double beyond 2^53', 'a: 1\n', 'a', 1e16, 'a: 1.0e+16\n'],
  [
    'a list by text that YAML 1.1 would read otherwise',
    'a: [1]\n',
    'a',
    ['why?', '=', '1:30'],
    "a: ['why?', '=', '1:30']\n",
  ],
  ['a list by one with a great double', 'a: [1]\n', 'a', [-2.5e20], 'a: [-2.5e+20]\n'],
  ['a number by null', 'a: 1 # c\n', 'a', null, 'a: null # c\n'],
  ['null by a number', 'a: ~\n', 'a', 1, 'a: 1\n'],
  ['nothing by a number', 'a:\nb: 1\n', 'a', 1, 'a: 1\nb: 1\n'],
  ['nothing with a comment by text', 'a: # none\n', 'a', 'x', 'a: x # none\n'],
  ['nothing at the end by a list', 'b: 1\na:', 'a', [1], 'b: 1\na: [1]'],
  ['a value behind a key in quotes', '"a b": 1\n', 'a b', 2, '"a b": 2\n'],
  ['a value behind a key with a question mark', '? a\n: 1\n', 'a', 2, '? a\n: 2\n'],
  ['a value of a key that is a number', '7: 1\n', '7', 2, '7: 2\n'],
  ['a value of a key in hexadecimal', '0x10: 1\n', '16', 2, '0x10: 2\n'],
  ['a value of a key that is null', '~: 1\n', 'null', 2, '~: 2\n'],
  ['a value of a key that is nothing', '? \n: 1\nb: 2\n', 'null', 3, '? \n: 3\nb: 2\n'],
  ['a value behind a key that is an alias', 'x: &k b\n*k : 1\na: 2\n', 'a', 3, 'x: &k b\n*k : 1\na: 3\n'],
  ['a value of a key with a tag', '!!str 0x10: 1\n', '0x10', 2, '!!str 0x10: 2\n'],
  ['text beyond ASCII', 'a: "é"\nb: ☃\n', 'a', '日本 😀', 'a: "日本 😀"\nb: ☃\n'],
  ['a value behind a byte order mark', '\ufeffa: 1\nb: 2\n', 'a', 3, '\ufeffa: 3\nb: 2\n'],
  ['a value behind a directive', '%YAML 1.2\n---\na: 1\n...\n', 'a', 2, '%YAML 1.2\n---\na: 2\n...\n'],
];

const BLOCKS: readonly Row[] = [
  ['a literal block by another', 'a: |\n  x\n  y\nb: 1\n', 'a', 'p\n\nq\n', 'a: |\n  p\n\n  q\nb: 1\n'],
  ['a literal block by text without a last line break', 'a: |\n  x\nb: 1\n', 'a', 'p\nq', 'a: |-\n  p\n  q\nb: 1\n'],
  ['a folded block by a literal one', 'a: >\n  x\n  y\n', 'a', 'p\nq\n', 'a: |\n  p\n  q\n'],
  ['a block, and the blank lines behind it stay', 'a: |\n  x\n\n\nb: 1\n', 'a', 'p\n', 'a: |\n  p\n\n\nb: 1\n'],
  ['a block with a comment by null', 'a: | # who\n  x\nb: 1\n', 'a', null, 'a: null # who\nb: 1\n'],
  ['a block by what a block cannot hold', 'a: |\n  x\nb: 1\n', 'a', ' p\u0007', 'a: " p\\a"\nb: 1\n'],
  ['a block that keeps blank lines', 'a: |+\n  x\n\nb: 1\n', 'a', 'p\n', 'a: |\n  p\nb: 1\n'],
  [
    'a nested block',
    'm:\n    a: |-\n        x\n    b: 1\n',
    'm.a',
    'p\nq',
    'm:\n    a: |-\n        p\n        q\n    b: 1\n',
  ],
  ['a block that keeps blank lines, with CRLF', 'a: |+\r\n  x\r\n\r\nb: 1\r\n', 'a', 'p', 'a: |-\r\n  p\r\nb: 1\r\n'],
  ['a block that keeps blank lines, at the end of the file', 'a: |+\n  x', 'a', 'p', 'a: |-\n  p'],
  ['an empty block', 'a: |\nb: 1\n', 'a', 'x\n', 'a: |\n x\nb: 1\n'],
  ['an empty block by null', 'a: > # c\nb: 1\n', 'a', null, 'a: null # c\nb: 1\n'],
  ['an empty block before a blank line', 'a: |\n\nb: 1\n', 'a', 'x\n', 'a: |\n x\n\nb: 1\n'],
  ['an empty block at the end of the file', 'a: |', 'a', 'x', 'a: |-\n x'],
  ['a block in a file with CRLF', 'a: |\r\n  x\r\nb: 1\r\n', 'a', 'p\nq\n', 'a: |\r\n  p\r\n  q\r\nb: 1\r\n'],
];

const COLLECTIONS: readonly Row[] = [
  ['a list in brackets', 'a: [1, 2] # c\n', 'a', [3], 'a: [3] # c\n'],
  ['a map in braces', 'a: {b: 1}\n', 'a', { b: 2, c: ['x y'] }, 'a: {b: 2, c: [x y]}\n'],
  ['a list in brackets over several lines', 'a: [1, # one\n  2,\n  ]\nb: 1\n', 'a', [3], 'a: [3]\nb: 1\n'],
  ['a list that closes at the margin', 'a: [\n  x\n]\nb: 1\n', 'b', 2, 'a: [\n  x\n]\nb: 2\n'],
  [
    'a list that closes at the margin, as a whole',
    'm:\n  a: [ # c\n1,\n] # d\nb: 1\n',
    'm.a',
    [3],
    'm:\n  a: [3] # d\nb: 1\n',
  ],
  ['a list of lines', 'a:\n  - 1\n  - 2\nb: 1\n', 'a', ['p', 'q', 'r'], 'a:\n  - p\n  - q\n  - r\nb: 1\n'],
  ['a list of lines that is not indented', 'a:\n- 1\n- 2\nb: 1\n', 'a', [3], 'a:\n- 3\nb: 1\n'],
  ['a list that ends with nothing', 'a:\n- 1\n-\nb: 1\n', 'a', [3, null], 'a:\n- 3\n- null\nb: 1\n'],
  ['a list of lines by an empty one', 'a: # c\n- 1\n- 2 # d\nb: 1\n', 'a', [], 'a: [] # c # d\nb: 1\n'],
  ['a list of lines by null', 'a:\n  # first\n  - 1\nb: 1\n', 'a', null, 'a: null\n  # first\nb: 1\n'],
  ['a map of lines', 'a:\n  b: 1\n  c:\nd: 1\n', 'a', { p: { q: 1 } }, 'a:\n  p:\n    q: 1\nd: 1\n'],
  ['a list of lines with CRLF', 'a:\r\n  - 1\r\nb: 1\r\n', 'a', [2, 3], 'a:\r\n  - 2\r\n  - 3\r\nb: 1\r\n'],
  ['a value inside a map in braces', 'm: {a: 1, "b":2}\n', 'm.b', 3, 'm: {a: 1, "b":3}\n'],
  ['nothing inside a map in braces', 'm: {a: , b}\n', 'm.a', 'x, y', "m: {a: 'x, y' , b}\n"],
  ['a key without a colon', 'm: {a, b}\n', 'm.a', 1, 'm: {a: 1, b}\n'],
];

const KEYS: readonly Row[] = [
  ['a dotted key that stands there literally', 'a.b: 1\na:\n  b: 2\n', 'a.b', 3, 'a.b: 3\na:\n  b: 2\n'],
  ['a nested key', 'a:\n  b:\n    c: 1 # c\n  d: 2\n', 'a.b.c', 9, 'a:\n  b:\n    c: 9 # c\n  d: 2\n'],
  ['the same name at another depth', 'x:\n  a: 1\na: 2\n', 'a', 3, 'x:\n  a: 1\na: 3\n'],
  [
    'a key behind every sort of list',
    'l: [a, {b: c}, [d]]\nm:\n- - 1\n  -\n- x: &q y\n- *q\na: 2\n',
    'a',
    3,
    'l: [a, {b: c}, [d]]\nm:\n- - 1\n  -\n- x: &q y\n- *q\na: 3\n',
  ],
];

const PROPERTIES: readonly Row[] = [
  ['a value whose anchor nobody uses', 'a: &x 1\n', 'a', 2, 'a: &x 2\n'],
  ['nothing behind an anchor', 'a: &x\nb: 1\n', 'a', 2, 'a: &x 2\nb: 1\n'],
  ['a map of lines with a tag by null', 'a: !!map\n  b: 1\nc: 2\n', 'a', null, 'a: null\nc: 2\n'],
  ['a list of lines with a tag and a comment', 'a: !!seq # why\n  - 1\nc: 2\n', 'a', [2], 'a: [2] # why\nc: 2\n'],
  ['a list of lines with a tag and an anchor', 'a: &x !!seq\n  - 1\nc: 2\n', 'a', [], 'a: &x []\nc: 2\n'],
  ['a map of lines with an anchor', 'a: &x\n  b: 1\n', 'a', null, 'a: &x null\n'],
  ['nothing with a tag and an anchor', 'a: &x !!null # c\nb: 1\n', 'a', 5, 'a: &x 5 # c\nb: 1\n'],
  ['a value with a tag', 'a: !!str 5\n', 'a', '6', "a: '6'\n"],
  [
    'a value beside tags of other programs',
    'a: !include x.yaml\nb: [!ENV $X]\nc: 1\n',
    'c',
    2,
    'a: !include x.yaml\nb: [!ENV $X]\nc: 2\n',
  ],
  ['a value with a tag and an anchor', 'a: &x !!str 5\n', 'a', 'six', 'a: &x six\n'],
  [
    'the own value of a map with a merge key',
    'b: &b {x: 1}\na:\n  <<: *b\n  x: 2\n',
    'a.x',
    3,
    'b: &b {x: 1}\na:\n  <<: *b\n  x: 3\n',
  ],
];

describe('A patch replaces the bytes of one value', () => {
  it.each([...SCALARS, ...BLOCKS, ...COLLECTIONS, ...KEYS, ...PROPERTIES])('%s', (_what, before, key, value, after) => {
    expect(patched(before, key, value)).toBe(after);
    expect(parse(after, { merge: true, logLevel: 'silent', strict: false })).toBeDefined();
  });

  it('and none when the value is already there, however it is written', () => {
    expect(patched('a: 0x10 # hex\nb: "x"\n', 'a', 16)).toBe('a: 0x10 # hex\nb: "x"\n');
  });

  it.each(['\n', '\r\n'])('and handles thousands of blank lines and comments quickly (%j)', (lineBreak) => {
    const blank = `${lineBreak}  ${lineBreak}# c`.repeat(20_000);
    const before = `a: |${lineBreak}  x${lineBreak.repeat(20_000)}${lineBreak}  y${lineBreak}#${blank}${lineBreak}b: 1${blank}`;
    expect(patched(before, 'b', 2)).toBe(before.replace('b: 1', 'b: 2'));
    expect(patched(before, 'a', 'z\n')).toBe(before.replace(/x[^y]*y/, 'z'));
  });

  it('and preserves integers beyond 2^53', () => {
    const before = 'id: 12345678901234567890\nseed: -9007199254740993\na: 1\n';
    expect(patched(before, 'a', 2)).toBe(before.replace('a: 1', 'a: 2'));
  });
});

describe('A patch is refused', () => {
  it('for an unknown key, naming up to twenty existing ones', () => {
    const keys = Array.from({ length: 30 }, (_, index) => `key${index}`);
    const patching = () => patched(keys.map((key) => `${key}: 1\n`).join(''), 'other', 1);
    expect(patching).toThrow('Its top-level keys: key0, key1, ');
    expect(patching).toThrow('key19, ….');
  });

  it.each([
    ['an unknown key', 'a: 1\n', 'b', 1, 'config_key_not_found'],
    ['an unknown nested key', 'a: {b: 1}\n', 'a.c', 1, 'config_key_not_found'],
    ['a path through a value that is no map', 'a: 1\n', 'a.b', 1, 'config_key_not_found'],
    ['an index of a list', 'a: [1]\n', 'a.0', 1, 'config_key_not_found'],
    ['the length of a list', 'a: [1]\n', 'a.length', 1, 'config_key_not_found'],
    ['what every object inherits', 'a: 1\n', 'constructor', 1, 'config_key_not_found'],
    ['the prototype', 'a: 1\n', '__proto__', null, 'config_key_not_found'],
    ['an empty file', '', 'a', 1, 'config_key_not_found'],
    ['text for a number', 'a: 1\n', 'a', '1', 'wrong_value_type'],
    ['a number for a boolean', 'a: true\n', 'a', 1, 'wrong_value_type'],
    ['a list for a map', 'a: {}\n', 'a', [], 'wrong_value_type'],
    ['a map for text', 'a: x\n', 'a', {}, 'wrong_value_type'],
    ['an alias', 'b: &x 1\na: *x\n', 'a', 2, 'conflict'],
    ['a value behind an alias', 'b: &x {c: 1}\na: *x\n', 'a.c', 2, 'conflict'],
    ['a value from a merge key', 'b: &x {c: 1}\na:\n  <<: *x\n', 'a.c', 2, 'conflict'],
    ['a value that others show by an alias', 'a: &x 1\nb: *x\n', 'a', 2, 'conflict'],
    ['a value inside a map that others show by an alias', 'a: &x {c: 1}\nb: *x\n', 'a.c', 2, 'conflict'],
    ['a value inside a map that others merge', 'a: &x {c: 1}\nb: {<<: *x}\n', 'a.c', 2, 'conflict'],
    ['a value whose tag another program reads', 'a: !ENV $X\n', 'a', 'y', 'conflict'],
    ['a list that holds such a tag', 'a:\n  - 1\n  - !include x\n', 'a', [1], 'conflict'],
    ['a list with an anchor that is used elsewhere', 'a:\n  - &x 1\nb: *x\n', 'a', [2], 'conflict'],
  ] as const)('for %s', (_what, before, key, value, code) => {
    expect(() => patched(before, key, value as ConfigValue)).toThrow(expect.objectContaining({ code }));
  });
});
