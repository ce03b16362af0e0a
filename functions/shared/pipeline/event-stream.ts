import { type Readable, Transform, type TransformCallback } from 'node:stream';
import { ServiceError } from '../errors.ts';

/** How often a comment is sent to keep the connection alive; well below the send timeout. */
const HEARTBEAT_MS = 10_000;

/**
 * Renders entries as server-sent events (WHATWG HTML, section 9.2), each one `data:` line of JSON. If the source ends
 * before the client disconnects, a final `end` event says why. Applies backpressure to the source.
 */
export function eventStream(entries: Readable, heartbeatMs: number = HEARTBEAT_MS, atEnd = STOPPED): Readable {
  const events = new Events(heartbeatMs, atEnd);
  entries.once('error', (error) => events.finish(error));
  entries.once('close', () => events.finish());
  events.once('close', () => entries.destroy());
  return entries.pipe(events);
}

const STOPPED = 'The service stopped sending.';

class Events extends Transform {
  readonly #timer: NodeJS.Timeout;
  #reason: string;

  constructor(heartbeatMs: number, atEnd: string) {
    super({ writableObjectMode: true });
    this.#reason = atEnd;
    this.push(': new entries follow\n\n');
    this.#timer = setInterval(() => {
      if (this.readableLength === 0) this.push(':\n\n');
    }, heartbeatMs);
  }

  finish(error?: unknown): void {
    if (error instanceof ServiceError) this.#reason = error.message;
    if (!this.writableEnded) this.end();
  }

  override _transform(entry: object, _encoding: BufferEncoding, done: TransformCallback): void {
    done(null, `data: ${JSON.stringify(entry)}\n\n`);
  }

  override _flush(done: TransformCallback): void {
    clearInterval(this.#timer);
    done(null, `event: end\ndata: ${JSON.stringify({ reason: this.#reason })}\n\n`);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearInterval(this.#timer);
    done(error);
  }
}
