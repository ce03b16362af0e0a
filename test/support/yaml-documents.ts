import fc from 'fast-check';

/** A value of a generated document: where it is written, and by which key it is reached. */
export interface WrittenValue {
  readonly path: readonly string[];
  readonly type: 'string' | 'number' | 'boolean' | 'null' | 'list' | 'map';
  /** Behind the colon of its key. */
  readonly colon: number;
  /** First and last character, end exclusive. */
  readonly start: number;
  readonly end: number;
}

export interface WrittenDocument {
  readonly text: string;
  readonly values: readonly WrittenValue[];
  /** Every comment outside the lists and maps that a patch can replace as a whole, unique each. */
  readonly comments: ReadonlyArray<{ readonly text: string; readonly offset: number }>;
}

const ONE_LINE: ReadonlyArray<readonly [WrittenValue['type'], string]> = [
  ['number', '7'],
  ['number', '-0.5e3'],
  ['number', '0x1F'],
  ['number', '0o17'],
  ['boolean', 'true'],
  ['boolean', 'False'],
  ['null', '~'],
  ['null', 'null'],
  ['null', ''],
  ['null', '&n7'],
  ['string', 'plain words'],
  ['string', 'http://a.b/c?d=e#f'],
  ['string', "it's"],
  ['string', 'größe ☃ 😀'],
  ['string', '2026-11-21'],
  ['string', 'yes'],
  ['string', "'single ''quoted'' # no comment'"],
  ['string', '"double \\"quoted\\" \\u263a # no comment"'],
  ['string', '!!str 12'],
  ['string', '&text !!str tagged'],
  ['string', '&word word'],
  ['list', '[]'],
  ['list', '[1, "b", [c, {d: e}], ]'],
  ['list', '&list [x]'],
  ['map', '{}'],
  ['map', '{x: 1, "y":[2], z}'],
];

/**
 * Documents as people write them: every style, comments, blank lines, nesting, LF or CRLF, with or without a BOM.
 * @param manner `loose`: flow collections and quoted texts go on at any column, and values bear tags of other programs.
 */
export function writeDocument(pick: fc.GeneratorValue, manner: 'strict' | 'loose' = 'strict'): WrittenDocument {
  const values: WrittenValue[] = [];
  const comments: { text: string; offset: number }[] = [];
  const lineBreak = pick(fc.constantFrom, '\n', '\r\n');
  let text = pick(fc.constantFrom, '', '\ufeff');
  let count = 0;

  if (pick(fc.boolean)) text += `---${lineBreak}`;
  map([], 0, 0);
  if (pick(fc.boolean)) text = text.slice(0, -lineBreak.length);
  return { text, values, comments };

  function map(path: readonly string[], indent: number, depth: number): void {
    const entries = pick(fc.integer, { min: 1, max: 4 });
    for (let entry = 0; entry < entries; entry += 1) {
      filler(indent);
      count += 1;
      const name = `${pick(fc.constantFrom, 'k', 'key ', 'ü')}${count}`;
      const key = pick(fc.constantFrom, name, `"${name}"`, `'${name}'`);
      text += `${' '.repeat(indent)}${key}:`;
      value([...path, name], indent, depth);
    }
  }

  function value(path: readonly string[], indent: number, depth: number): void {
    const colon = text.length;
    const kind = pick(fc.integer, { min: 0, max: 9 });
    if (kind < 5) oneLine(path, colon);
    else if (kind === 5) scalarOverLines(path, colon, indent);
    else if (kind === 6) blockScalar(path, colon, indent);
    else if (kind === 7) flowOverLines(path, colon, indent);
    else if (kind === 8) blockList(path, colon, indent);
    else if (depth < 3) blockMap(path, indent, depth);
    else oneLine(path, colon);
  }

  function oneLine(path: readonly string[], colon: number): void {
    const [type, written] = pick(fc.constantFrom, ...ONE_LINE);
    if (written !== '') text += pick(fc.constantFrom, ' ', '   ');
    if (manner === 'loose' && pick(fc.integer, { min: 0, max: 4 }) === 0) {
      text += ` ${pick(fc.constantFrom, '!include', '!ENV', '!foo/bar')} ${pick(fc.constantFrom, 'x.yaml', "'${X}'", '[a, !y b]')}`;
      endLine();
      return;
    }
    const start = text.length;
    text += written;
    values.push({ path, type, colon, start, end: text.length });
    endLine();
  }

  function scalarOverLines(path: readonly string[], colon: number, indent: number): void {
    text += ' ';
    const start = text.length;
    const pad = lineBreak + ' '.repeat(indent + 2);
    text += pick(
      fc.constantFrom,
      ...(manner === 'loose' ? [`"one${lineBreak}two"`, `'one${lineBreak}${lineBreak} two'`] : []),
      `one${pad}two`,
      `"one${pad}${lineBreak}  two"`.replace(/\s+two/, `${pad}two`),
      `'one${pad}two'`,
    );
    values.push({ path, type: 'string', colon, start, end: text.length });
    endLine();
  }

  function blockScalar(path: readonly string[], colon: number, indent: number): void {
    text += ' ';
    const start = text.length;
    text += pick(fc.constantFrom, '|', '>', '|-', '>-', '|2', '>2-');
    if (pick(fc.boolean)) comment();
    const width = indent + 2;
    const lines = pick(fc.constantFrom, ['x'], ['x', 'y # no comment'], ['x', '', '  y']);
    for (const line of lines) text += lineBreak + (line === '' ? '' : ' '.repeat(width) + line);
    values.push({ path, type: 'string', colon, start, end: text.length });
    text += lineBreak;
    if (pick(fc.boolean)) text += lineBreak;
  }

  function flowOverLines(path: readonly string[], colon: number, indent: number): void {
    text += ' ';
    const start = text.length;
    const deep = manner === 'loose' ? pick(fc.constantFrom, 0, 1, indent, indent + 2) : indent + 2;
    const pad = lineBreak + ' '.repeat(deep);
    const [type, written] = pick(
      fc.constantFrom,
      ['list', `[a, # inside${pad}b,${pad}]`] as const,
      ['map', `{a: 1,${pad}"b": # inside${pad}{c: d}}`] as const,
    );
    text += written;
    values.push({ path, type, colon, start, end: text.length });
    endLine();
  }

  function blockList(path: readonly string[], colon: number, indent: number): void {
    endLine();
    const pad = ' '.repeat(indent + pick(fc.constantFrom, 0, 2));
    const start = text.length + pad.length;
    const items = pick(
      fc.array,
      fc.constantFrom('1', 'a b', '"q"', '', '- n', `a: 1${lineBreak}${pad}  b: `, '[x]', '|-\n x'),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    const written = items.map((item) => {
      if (item.startsWith('|')) return `${pad}- |-${lineBreak}${pad}    x`;
      return item === '' ? `${pad}-` : `${pad}- ${item.trimEnd()}`;
    });
    text += written.join(pick(fc.constantFrom, lineBreak, `${lineBreak}${pad}# inside${lineBreak}`));
    values.push({ path, type: 'list', colon, start, end: text.length });
    text += lineBreak;
  }

  function blockMap(path: readonly string[], indent: number, depth: number): void {
    endLine();
    const inner = indent + pick(fc.constantFrom, 1, 2, 4);
    map(path, inner, depth + 1);
  }

  function filler(indent: number): void {
    const kind = pick(fc.integer, { min: 0, max: 5 });
    if (kind === 0) text += lineBreak;
    if (kind === 1) {
      text += ' '.repeat(indent);
      comment('');
      text += lineBreak;
    }
  }

  function endLine(): void {
    if (pick(fc.boolean)) comment();
    text += lineBreak;
  }

  function comment(space = ' '): void {
    const written = `# c${comments.length}.`;
    text += space;
    comments.push({ text: written, offset: text.length });
    text += written;
  }
}
