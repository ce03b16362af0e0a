import { SaxesParser } from 'saxes';
import { ServiceError } from '../../shared/errors.ts';

/** A `filename` attribute. The offsets into the text exclude the quotes; `end` is exclusive. */
export interface Reference {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the file name of every mesh and texture element. The whole document is parsed, so that only well-formed XML is
 * passed on. Nothing external is loaded, and entities declared in the document are not expanded.
 * @throws ServiceError `config_unreadable` with line and column: malformed, not a URDF, or a DOCTYPE with an internal
 * subset (which could carry an entity bomb to the client).
 */
export function urdfReferences(xml: string): Reference[] {
  const references: Reference[] = [];
  const parser = new SaxesParser();
  let depth = 0;
  let element = '';
  parser.on('error', (error) => {
    throw unreadable(parser, error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, ''));
  });
  parser.on('doctype', (doctype) => {
    if (doctype.includes('[')) throw unreadable(parser, 'a DOCTYPE with an internal subset is not allowed');
  });
  parser.on('opentagstart', (tag) => {
    element = tag.name;
    depth += 1;
    if (depth === 1 && element !== 'robot') throw unreadable(parser, `the root element is <${element}>, not <robot>`);
  });
  parser.on('closetag', () => {
    depth -= 1;
  });
  parser.on('attribute', ({ name, value }) => {
    if (name !== 'filename' || (element !== 'mesh' && element !== 'texture')) return;
    // The parser is just past the closing quote, and a value cannot contain its own quote character.
    const end = parser.position - 1;
    references.push({ value, start: xml.lastIndexOf(xml.charAt(end), end - 1) + 1, end });
  });
  parser.write(xml).close();
  return references;
}

function unreadable(parser: SaxesParser, why: string): ServiceError {
  const { line, column } = parser;
  return new ServiceError('config_unreadable', {
    detail: `The URDF is invalid at line ${line}, column ${column}: ${why}.`,
    members: { line, column },
  });
}
