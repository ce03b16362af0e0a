import { SaxesParser } from 'saxes';
import { ServiceError } from '../../shared/errors.ts';

/** The value of one `filename` attribute. Offsets into the text, without the quotes; the end is exclusive. */
export interface Reference {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the file name of every mesh and texture element. The text is parsed as a whole, so that what is passed on is
 * well-formed XML; nothing is ever loaded, and no entity that the document itself declares is known.
 * @throws ServiceError `config_unreadable` naming line and column: malformed, no URDF, or a DOCTYPE with declarations of
 * its own (an entity bomb would go off in the client).
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
    if (doctype.includes('[')) throw unreadable(parser, 'a DOCTYPE with declarations of its own is refused');
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
    // The parser stands behind the closing quote, and a value cannot hold the quote it stands in.
    const end = parser.position - 1;
    references.push({ value, start: xml.lastIndexOf(xml.charAt(end), end - 1) + 1, end });
  });
  parser.write(xml).close();
  return references;
}

function unreadable(parser: SaxesParser, why: string): ServiceError {
  const { line, column } = parser;
  return new ServiceError('config_unreadable', {
    detail: `The URDF cannot be used; at line ${line}, column ${column}: ${why}.`,
    members: { line, column },
  });
}
