/** Text that arrives in pieces, which may end within a character. */
export class Utf8Text {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });

  /** The text of the next piece, or of what was left of the last one; undefined for what is no text in UTF-8. */
  decode(chunk?: Buffer): string | undefined {
    try {
      const text = chunk ? this.#decoder.decode(chunk, { stream: true }) : this.#decoder.decode();
      return text.includes('\0') ? undefined : text;
    } catch {
      return undefined;
    }
  }
}
