import { type ContentCheck, invalidContent } from './content-check.ts';
import { Utf8Text } from './utf8-text.ts';

/** 80 bytes that mean nothing, and the number of triangles. */
const HEADER_BYTES = 84;
const TRIANGLE_BYTES = 50;

/**
 * A binary STL has as many triangles as it says; an ASCII one begins with `solid`. So do many binary ones, which is why
 * the length counts first.
 */
export class StlCheck implements ContentCheck {
  readonly #text = new Utf8Text();
  #isText = true;
  #header = Buffer.alloc(0);
  #size = 0;

  write(chunk: Buffer): void {
    this.#size += chunk.length;
    const missing = HEADER_BYTES - this.#header.length;
    if (missing > 0) this.#header = Buffer.concat([this.#header, chunk.subarray(0, missing)]);
    this.#isText &&= this.#text.decode(chunk) !== undefined;
  }

  end(): void {
    if (this.#size >= HEADER_BYTES) {
      const triangles = this.#header.readUInt32LE(HEADER_BYTES - 4);
      if (this.#size === HEADER_BYTES + TRIANGLE_BYTES * triangles) return;
    }
    const isAscii =
      this.#isText && this.#text.decode() !== undefined && /^\s*solid\b/.test(this.#header.toString('latin1'));
    if (!isAscii)
      throw invalidContent('it is neither a complete binary STL nor an ASCII one, which begins with "solid"');
  }
}
