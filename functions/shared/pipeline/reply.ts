import type { Readable } from 'node:stream';

/** An answer that is more than a JSON value: its own status, headers, or a body of bytes or a stream. */
export class Reply {
  readonly body: string | Buffer | Readable;
  readonly headers: Record<string, string>;
  readonly status: number;

  constructor(body: string | Buffer | Readable, headers: Record<string, string>, status = 200) {
    this.body = body;
    this.headers = headers;
    this.status = status;
  }

  /** A JSON value with headers of its own. */
  static json(value: unknown, headers: Record<string, string>): Reply {
    return new Reply(JSON.stringify(value), { 'content-type': 'application/json', ...headers });
  }
}
