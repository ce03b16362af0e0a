import { SaxesParser } from 'saxes';

/** Elements within each other, and attributes of one element, beyond which a document is refused. */
const MAX_DEPTH = 1_000;
const MAX_ATTRIBUTES = 1_000;
/** Longest name, attribute or comment that is kept while it is read, in characters. */
const MAX_HELD_CHARS = 1024 * 1024;

/** Where a document is not what it should be, as a clause without a full stop. */
export interface XmlFault {
  readonly line: number;
  readonly column: number;
  readonly why: string;
}

interface StrictXmlOptions {
  /** Name of the root element. */
  readonly root: string;
  /** Makes the error that is thrown. */
  readonly fail: (fault: XmlFault) => Error;
  /** Is told of each attribute, just behind its closing quote. */
  readonly onAttribute?: (element: string, name: string, value: string) => void;
}

/**
 * A parser of well-formed XML with one root, in bounded memory. Nothing external is loaded, entities declared in the
 * document are not expanded, and a DOCTYPE with an internal subset is refused: it could carry an entity bomb to clients.
 */
export function strictXml({ root, fail, onAttribute }: StrictXmlOptions): SaxesParser {
  const parser = new SaxesParser();
  let depth = 0;
  let attributes = 0;
  let element = '';
  const refuse = (why: string): never => {
    throw fail({ line: parser.line, column: parser.column, why });
  };
  parser.on('error', (error) => refuse(error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, '')));
  parser.on('doctype', (doctype) => {
    if (doctype.includes('[')) refuse('a DOCTYPE with an internal subset is not allowed');
  });
  parser.on('opentagstart', ({ name }) => {
    depth += 1;
    attributes = 0;
    if (depth === 1 && name !== root) refuse(`the root element is <${name}>, not <${root}>`);
    if (depth > MAX_DEPTH) refuse(`elements are nested deeper than ${MAX_DEPTH}`);
    element = name;
  });
  parser.on('attribute', ({ name, value }) => {
    attributes += 1;
    if (attributes > MAX_ATTRIBUTES) refuse(`an element has more than ${MAX_ATTRIBUTES} attributes`);
    onAttribute?.(element, name, value);
  });
  parser.on('closetag', () => {
    depth -= 1;
  });
  return parser;
}

/** Whether the parser keeps more of one name, attribute or comment than any real document has. */
export function holdsTooMuch(parser: SaxesParser): boolean {
  const { text, name } = parser as unknown as { readonly text: string; readonly name: string }; // as: private in its types
  return text.length > MAX_HELD_CHARS || name.length > MAX_HELD_CHARS;
}
