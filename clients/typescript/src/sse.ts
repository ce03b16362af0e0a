/** One message of a stream of server-sent events. */
export interface SseMessage {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

const MAX_MESSAGE_CHARACTERS = 4 * 1024 * 1024;

/** Reads server-sent events (HTML standard, 9.2) out of pieces of a body. */
export class SseParser {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #event = '';
  #id: string | undefined;
  #data: string[] = [];

  /** @throws RangeError for a message without end. */
  *feed(piece: Uint8Array): Generator<SseMessage> {
    this.#rest += this.#decoder.decode(piece, { stream: true });
    // A CR at the end may be half of a line end.
    const lines = this.#rest.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > MAX_MESSAGE_CHARACTERS) throw new RangeError('A message without end.');
    for (const line of lines) {
      if (line === '') {
        if (this.#data.length > 0) {
          yield { event: this.#event || 'message', id: this.#id, data: this.#data.join('\n') };
        }
        this.#event = '';
        this.#data = [];
      } else this.#take(line);
    }
  }

  #take(line: string): void {
    const [, field, value = ''] = /^([^:]*)(?::[ ]?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id') this.#id = value;
  }
}
