import { type Readable, Transform, type TransformCallback } from 'node:stream';
import type { LogEntry } from '../../shared/adapters/service-manager/port.ts';
import { ServiceError } from '../../shared/errors.ts';

/** How often a line is sent that says nothing, in ms: well within the time after which a stuck answer is cut. */
const HEARTBEAT = 10_000;

/**
 * Entries as server-sent events (WHATWG HTML, section 9.2): one `data:` line of JSON each. When they end before the
 * client leaves, a last event named `end` says why. A client that reads slowly slows the source down.
 */
export function eventStream(entries: Readable, heartbeat: number = HEARTBEAT): Readable {
  const events = new Events(heartbeat);
  entries.once('error', (error) => events.finish(error));
  entries.once('close', () => events.finish());
  events.once('close', () => entries.destroy());
  return entries.pipe(events);
}

class Events extends Transform {
  readonly #timer: NodeJS.Timeout;
  #reason = 'The service stopped sending.';

  constructor(heartbeat: number) {
    super({ writableObjectMode: true });
    this.push(': new entries follow\n\n');
    this.#timer = setInterval(() => {
      if (this.readableLength === 0) this.push(':\n\n');
    }, heartbeat);
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
