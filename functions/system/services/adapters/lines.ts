import { Transform, type TransformCallback } from 'node:stream';

/** Longer lines are truncated. */
const MAX_LINE_BYTES = 256 * 1024;
/** How much of the end of a truncated line is kept, which is enough for all fields except the message. */
const TAIL_BYTES = 4096;

/** One line. If it was too long, `text` is its beginning and `tail` its end. */
export interface Line {
  readonly text: string;
  readonly tail?: string;
}

/**
 * Splits bytes into {@link Line} objects with bounded memory, however long a line is. Drops an unterminated last line.
 */
export class LineSplitter extends Transform {
  #parts: Buffer[] = [];
  #size = 0;
  #tail: Buffer = Buffer.alloc(0);

  constructor() {
    super({ readableObjectMode: true });
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let to = chunk.indexOf(10); to !== -1; to = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, to));
      this.push(this.#line());
      from = to + 1;
    }
    this.#keep(chunk.subarray(from));
    done();
  }

  #keep(part: Buffer): void {
    const room = MAX_LINE_BYTES - this.#size;
    if (room > 0 && part.length > 0) this.#parts.push(part.subarray(0, room));
    if (part.length > room) {
      const beyond = part.subarray(Math.max(0, room));
      this.#tail = Buffer.concat([this.#tail, beyond]).subarray(-TAIL_BYTES);
    }
    this.#size = Math.min(MAX_LINE_BYTES, this.#size + part.length);
  }

  #line(): Line {
    const text = Buffer.concat(this.#parts).toString('utf8');
    const line = this.#tail.length === 0 ? { text } : { text, tail: this.#tail.toString('utf8') };
    this.#parts = [];
    this.#size = 0;
    this.#tail = Buffer.alloc(0);
    return line;
  }
}
