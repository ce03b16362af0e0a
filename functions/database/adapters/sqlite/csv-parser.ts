import type { FileHandle } from 'node:fs/promises';
import { type Parser, parse } from 'csv-parse';
import { type Field, READING } from './csv-format.ts';

/** A parser that hands over each record as soon as it is complete, so that the caller can count lines. */
export function recordParser(delimiter: string, take: (record: Field[]) => void): Parser {
  const parser = parse({
    ...READING,
    delimiter,
    relax_column_count: true, // the consumer counts the fields itself, and names the line
    on_record: (record: Field[]) => {
      take(record);
      return null;
    },
  });
  spare(parser);
  parser.resume();
  return parser;
}

interface Internals {
  readonly state?: { readonly wasQuoting?: boolean };
  __infoField?: () => unknown;
  __infoRecord?: () => unknown;
}

/**
 * The parser describes the circumstances of every field and record in objects of a dozen members each, which takes most
 * of the time of an import; one member is all that is asked for. These are not part of its public face: where another
 * release does without them, nothing is replaced and imports are slower.
 */
function spare(parser: Parser): void {
  const { api } = parser as unknown as { api?: Internals }; // as: missing in its types
  const state = api?.state;
  if (!api?.__infoField || !api.__infoRecord || state?.wasQuoting === undefined) return;
  api.__infoField = () => ({ quoting: state.wasQuoting });
  api.__infoRecord = () => undefined;
}

/** How the program that wrote a file separates fields, and where its header line starts. */
interface Dialect {
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
