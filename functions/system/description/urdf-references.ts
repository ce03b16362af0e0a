import { ServiceError } from '../../shared/errors.ts';
import { strictXml, type XmlFault } from './strict-xml.ts';

/** A `filename` attribute. The offsets into the text exclude the quotes; `end` is exclusive. */
export interface Reference {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the file name of every mesh and texture element. The whole document is parsed, so that only well-formed XML is
 * passed on.
 * @throws ServiceError `config_unreadable` with line and column: malformed, not a URDF, or a DOCTYPE with an internal
 * subset (which could carry an entity bomb to the client).
 */
export function urdfReferences(xml: string): Reference[] {
  const references: Reference[] = [];
  const parser = strictXml({
    root: 'robot',
    fail: unreadable,
    onAttribute(element, name, value) {
      if (name !== 'filename' || (element !== 'mesh' && element !== 'texture')) return;
      // The parser is just past the closing quote, and a value cannot contain its own quote character.
      const end = parser.position - 1;
      references.push({ value, start: xml.lastIndexOf(xml.charAt(end), end - 1) + 1, end });
    },
  });
  parser.write(xml).close();
  return references;
}

function unreadable({ line, column, why }: XmlFault): ServiceError {
  return new ServiceError('config_unreadable', {
    detail: `The URDF is invalid at line ${line}, column ${column}: ${why}.`,
    members: { line, column },
  });
}
