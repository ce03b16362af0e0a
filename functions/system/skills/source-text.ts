import { textBeforeFault } from '../../shared/kit/utf8.ts';

/** A problem in a source. Line and column count from 1, the column in characters. */
interface EncodingProblem {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** Finds what no Python interpreter accepts: invalid UTF-8, or a NUL character. */
export function encodingProblem(bytes: Buffer): EncodingProblem | undefined {
  const before = textBeforeFault(bytes);
  if (before !== undefined) return problemAfter(before, 'invalid UTF-8');
  const nul = bytes.indexOf(0);
  return nul === -1 ? undefined : problemAfter(bytes.toString('utf8', 0, nul), 'NUL character');
}

function problemAfter(before: string, message: string): EncodingProblem {
  const text = before.replace(/^\ufeff/, '');
  const lineStart = text.lastIndexOf('\n') + 1;
  return { message, line: text.split('\n').length, column: [...text.slice(lineStart)].length + 1 };
}
