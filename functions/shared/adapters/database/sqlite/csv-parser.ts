import { type Parser, parse } from 'csv-parse';
import { type Field, READING } from './csv-format.ts';

/** A parser that hands over each record in the moment it is complete, so that whoever counts lines knows where it stands. */
export function recordParser(delimiter: string, take: (record: Field[]) => void): Parser {
  const parser = parse({
    ...READING,
    delimiter,
    relax_column_count: true, // who takes the records counts for itself, and names the line
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
