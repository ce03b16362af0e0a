import type { FileHandle } from 'node:fs/promises';

/** How the program that wrote a file separates fields, and where its header line starts. */
export interface Dialect {
  readonly delimiter: ',' | ';' | '\t';
  /** Bytes before the header line that belong to no record. */
  readonly start: number;
  /** Number of the header line, from 1. */
  readonly line: number;
}

/** Enough for the header of every table, quoted. */
const HEAD_BYTES = 4096;

/**
 * Spreadsheets separate with a semicolon where the comma is the decimal sign, or with tabs; the names of columns hold none
 * of these. Excel may say so itself in a line of its own, `sep=;`.
 */
export async function dialectOf(handle: FileHandle): Promise<Dialect> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  const head = buffer.toString('latin1', 0, bytesRead);
  const said = /^(?:\u00ef\u00bb\u00bf)?sep=([,;\t])\r?\n/i.exec(head);
  if (said) return { delimiter: said[1] as Dialect['delimiter'], start: said[0].length, line: 2 }; // as: the expression says so
  return { delimiter: firstSeparator(head), start: 0, line: 1 };
}

function firstSeparator(head: string): Dialect['delimiter'] {
  let quoted = false;
  for (const character of head) {
    if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === ',' || character === ';' || character === '\t') return character;
    else if (character === '\n') break;
  }
  return ',';
}
