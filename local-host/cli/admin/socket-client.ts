import { type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../../../functions/shared/kit/error-code.ts';
import { CommandError } from '../entry.ts';

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent as it is; `headers` say its type and length. */
  readonly stream?: Readable;
}

/**
 * Asks the running service over its Unix socket, so that what it checks, locks and records for everybody holds here too.
 * Every method throws CommandError, with the service's own sentence where it refuses.
 */
export class SocketClient {
  readonly #socketPath: string;
  #token: string | undefined;

  constructor(socketPath: string) {
    if (socketPath === '') throw new CommandError('SERVICE_SOCKET_PATH is empty: the service has no Unix socket.');
    this.#socketPath = socketPath;
  }

  /** The JSON answer. @param path below `/api/v2/`. */
  async json<T>(path: string, call: Call = {}): Promise<T> {
    const text = await textOf(await this.stream(path, call));
    return JSON.parse(text) as T; // as: the service checks its answers against the schema of the route
  }

  /** The answer itself, to be read to its end. */
  async stream(path: string, call: Call = {}): Promise<IncomingMessage> {
    this.#token ??= await this.#signIn();
    const headers = { ...call.headers, authorization: `Bearer ${this.#token}` };
    return checked(await this.#send(path, { ...call, headers }));
  }

  async #signIn(): Promise<string> {
    const answer = JSON.parse(await textOf(await checked(await this.#send('auth/', {}))));
    return String(answer.token);
  }

  #send(path: string, { method = 'GET', headers = {}, body, stream }: Call): Promise<IncomingMessage> {
    const json = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request({
        socketPath: this.#socketPath,
        path: `/api/v2/${path}`,
        method,
        headers: {
          ...(json === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }),
          ...headers,
        },
      });
      // An answer may come before all is sent: what is written after it does not matter.
      sent.once('response', resolve).on('error', (error) => reject(this.#unreachable(error)));
      if (stream) pipeline(stream, sent).catch((error: unknown) => sent.destroy(asError(error)));
      else sent.end(json);
    });
  }

  #unreachable(error: unknown): CommandError {
    const code = codeOf(error);
    const refused = code === 'EACCES' ? 'Members of its group may use it, and root.' : 'Is the service running?';
    return new CommandError(
      `The service does not answer on ${this.#socketPath} (${code ?? asError(error).message}). ${refused}`,
    );
  }
}

async function checked(answer: IncomingMessage): Promise<IncomingMessage> {
  const { statusCode = 0 } = answer;
  if (statusCode >= 200 && statusCode < 300) return answer;
  throw new CommandError(sentenceOf(await textOf(answer), statusCode));
}

/** A problem (RFC 9457) in one or a few lines. */
function sentenceOf(text: string, status: number): string {
  try {
    const { title, detail, code, errors = [] } = JSON.parse(text);
    const found = errors.map(({ pointer, message }: { pointer: string; message: string }) => `${pointer} ${message}`);
    return [`${detail ?? title} (${code})`, ...(found.length > 1 ? found : [])].join('\n  ');
  } catch {
    return `The service answered with status ${status}.`;
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  answer.setEncoding('utf8');
  try {
    for await (const chunk of answer) text += chunk;
  } catch {
    throw new CommandError('The service ended the connection in the middle of its answer.');
  }
  return text;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
