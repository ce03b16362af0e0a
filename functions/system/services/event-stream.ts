import { type Readable, Transform, type TransformCallback } from 'node:stream';
import { ServiceError } from '../../shared/errors.ts';
import type { LogEntry } from './port.ts';

/** How often a comment is sent to keep the connection alive; well below the send timeout. */
const HEARTBEAT_MS = 10_000;

/**
 * Renders entries as server-sent events (WHATWG HTML, section 9.2), each one `data:` line of JSON. If the source ends
 * before the client disconnects, a final `end` event says why. Applies backpressure to the source.
 */
export function eventStream(entries: Readable, heartbeatMs: number = HEARTBEAT_MS): Readable {
  const events = new Events(heartbeatMs);
  entries.once('error', (error) => events.finish(error));
  entries.once('close', () => events.finish());
  events.once('close', () => entries.destroy());
  return entries.pipe(events);
}

class Events extends Transform {
  readonly #timer: NodeJS.Timeout;
  #reason = 'The service stopped sending.';

  constructor(heartbeatMs: number) {
    super({ writableObjectMode: true });
    this.push(': new entries follow\n\n');
    this.#timer = setInterval(() => {
      if (this.readableLength === 0) this.push(':\n\n');
    }, heartbeatMs);
  }

  finish(error?: unknown): void {
    if (error instanceof ServiceError) this.#reason = error.message;
    if (!this.writableEnded) this.end();
  }

  override _transform(entry: LogEntry, _encoding: BufferEncoding, done: TransformCallback): void {
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
