import type { SaxesParser } from 'saxes';
import { type ContentCheck, invalidContent } from './content-check.ts';
import { StlCheck } from './stl-check.ts';
import { holdsTooMuch, strictXml } from './strict-xml.ts';
import { Utf8Text } from './utf8-text.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
/** Magic, version and length in bytes, each of 4 bytes, little-endian (glTF 2.0, section 4.4.2). */
const GLB_HEADER_BYTES = 12;

const CHECKS: Readonly<Record<string, () => ContentCheck>> = {
  urdf: () => new XmlCheck('robot'),
  xml: () => new XmlCheck('robot'),
  dae: () => new XmlCheck('COLLADA'),
  stl: () => new StlCheck(),
  glb: () => new StartCheck(GLB_HEADER_BYTES, isGlb, 'it is no binary glTF of version 2, or not a complete one'),
  png: () => new StartCheck(PNG.length, (start) => start.equals(PNG), 'it is no PNG'),
  jpg: () => new StartCheck(JPEG.length, (start) => start.equals(JPEG), 'it is no JPEG'),
  jpeg: () => new StartCheck(JPEG.length, (start) => start.equals(JPEG), 'it is no JPEG'),
  obj: () => new TextCheck(),
  mtl: () => new TextCheck(),
};

/** Endings of the files that are checked, and therefore taken. */
export const CHECKED_ENDINGS = Object.keys(CHECKS);

/** The check for a file of this name; undefined where there is none. */
export function contentCheck(name: string): ContentCheck | undefined {
  const ending = /\.([A-Za-z]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(CHECKS, ending) ? CHECKS[ending]?.() : undefined;
}

/** The first bytes, judged once they and the size are known. */
class StartCheck implements ContentCheck {
  readonly #length: number;
  readonly #accepts: (start: Buffer, size: number) => boolean;
  readonly #why: string;
  #start = Buffer.alloc(0);
  #size = 0;

  constructor(length: number, accepts: (start: Buffer, size: number) => boolean, why: string) {
    this.#length = length;
    this.#accepts = accepts;
    this.#why = why;
  }

  write(chunk: Buffer): void {
    this.#size += chunk.length;
    const missing = this.#length - this.#start.length;
    if (missing > 0) this.#start = Buffer.concat([this.#start, chunk.subarray(0, missing)]);
  }

  end(): void {
    if (this.#start.length < this.#length || !this.#accepts(this.#start, this.#size)) throw invalidContent(this.#why);
  }
}

function isGlb(header: Buffer, size: number): boolean {
  return header.toString('latin1', 0, 4) === 'glTF' && header.readUInt32LE(4) === 2 && header.readUInt32LE(8) === size;
}

class TextCheck implements ContentCheck {
  readonly #text = new Utf8Text();

  write(chunk: Buffer): void {
    if (this.#text.decode(chunk) === undefined) throw invalidContent('it is not text in UTF-8');
  }

  end(): void {
    if (this.#text.decode() === undefined) throw invalidContent('it is not text in UTF-8');
  }
}

class XmlCheck implements ContentCheck {
  readonly #parser: SaxesParser;
  readonly #text = new Utf8Text();

  constructor(root: string) {
    const fail = ({ line, column, why }: { line: number; column: number; why: string }) =>
      invalidContent(`line ${line}, column ${column}: ${why}`);
    this.#parser = strictXml({ root, fail });
  }

  write(chunk: Buffer): void {
    const text = this.#text.decode(chunk);
    if (text === undefined) throw invalidContent('it is not UTF-8');
    this.#parser.write(text);
    if (holdsTooMuch(this.#parser))
      throw invalidContent(`line ${this.#parser.line}: a name or an attribute is too long`);
  }

  end(): void {
    if (this.#text.decode() === undefined) throw invalidContent('it is not UTF-8');
    this.#parser.close();
  }
}
