import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { ServiceError } from '../../functions/shared/errors.ts';
import { tooLarge } from '../../functions/shared/pipeline/receive-body.ts';

/** A body of which nothing arrives for this long is given up. */
const IDLE_MS = 30_000;

/**
 * A request body as it arrives, read no faster than it is used, and not before. The limit on the time in which a request
 * must arrive, which is made for small ones, gives way to one on its pauses.
 */
export function streamBody(request: IncomingMessage, response: ServerResponse, maxBytes: number): Readable {
  return new BodyStream(request, response, maxBytes);
}

class BodyStream extends Readable {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #maxBytes: number;
  #size = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, maxBytes: number) {
    super();
    this.#request = request;
    this.#response = response;
    this.#maxBytes = maxBytes;
    liftTimeLimit(request); // before the work that may come ahead of the first byte
  }

  override _read(): void {
    if (this.#idle === undefined) this.#begin();
    this.#request.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#idle);
    this.#request.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose).pause();
    done(error);
  }

  #begin(): void {
    const request = this.#request;
    if (request.headers.expect !== undefined) this.#response.writeContinue();
    this.#idle = setTimeout(() => this.#onIdle(), IDLE_MS);
    request.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose);
    if (request.destroyed && !request.complete) this.#onClose();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#idle?.refresh();
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) this.destroy(tooLarge(this.#maxBytes));
    else if (!this.push(chunk)) this.#request.pause();
  };

  readonly #onEnd = (): void => {
    this.push(null);
  };

  readonly #onClose = (): void => {
    if (this.#request.complete) return;
    this.destroy(new ServiceError('bad_request', { detail: 'The body ended before its declared length.' }));
  };

  #onIdle(): void {
    if (this.#request.isPaused()) {
      this.#idle?.refresh(); // it is this side that takes its time
      return;
    }
    this.destroy(
      new ServiceError('request_timeout', {
        detail: `Nothing of the body arrived for ${IDLE_MS / 1000} s. Nothing was changed; send it again.`,
      }),
    );
  }
}

interface WithParser {
  readonly parser?: { remove?(): void } | null;
}

/** Takes the connection off Node's watch for late requests; it is put back with the next one. */
function liftTimeLimit({ socket }: IncomingMessage): void {
  (socket as WithParser).parser?.remove?.(); // as: missing in its types; without it the time limit stays
}
