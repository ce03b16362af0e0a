import * as yaml from 'js-yaml';

/** The end offset of a block scalar. Trailing blank lines only belong to it if it keeps them (`+`). */
export function blockEnd(text: string, { valueStart, valueEnd, chomping }: yaml.ScalarEvent): number {
  if (chomping === yaml.CHOMPING_MODE.KEEP) return beforeLineBreak(text, valueEnd);
  let end = valueEnd;
  while (end > valueStart && ' \t\r\n'.includes(text.charAt(end - 1))) end -= 1;
  if (end === valueStart) return beforeLineBreak(text, end); // only an indicator, no content
  while (end < valueEnd && !'\r\n'.includes(text.charAt(end))) end += 1; // trailing blanks on the last line are part of it
  return end;
}

/** The offset before a line break that ends here, if any. */
function beforeLineBreak(text: string, offset: number): number {
  if (text.slice(offset - 2, offset) === '\r\n') return offset - 2;
  return '\r\n'.includes(text.charAt(offset - 1)) ? offset - 1 : offset;
}
