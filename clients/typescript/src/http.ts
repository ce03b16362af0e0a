import { badAnswer, connectionLost, errorFromProblem, isObject, Unavailable } from './errors.ts';

/** Node's types do not know `cache`. */
const PRIVATE = { redirect: 'error', cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' } as const;
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Causes by which Node says that no connection came about, so that nothing was sent. */
const NEVER_CONNECTED =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|.*CERT.*)$/;

export interface Exchange {
  readonly method: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | FormData | undefined;
  /** Until the whole answer is there. */
  readonly timeoutMs: number;
  /** Gives the request up. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer below 300. */
export class Answer {
  readonly status: number;
  readonly bytes: Uint8Array;

  constructor(status: number, bytes: Uint8Array) {
    this.status = status;
    this.bytes = bytes;
  }

  /** @throws Unavailable `bad_answer`. */
  text(): string {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(this.bytes);
    } catch {
      throw badAnswer('no UTF-8');
    }
  }

  /** @throws Unavailable `bad_answer`. */
  json(): unknown {
    const text = this.text();
    try {
      return JSON.parse(text);
    } catch {
      throw badAnswer('no JSON');
    }
  }

  /** Its JSON, which has to be an object. @throws Unavailable `bad_answer`. */
  object(): Record<string, unknown> {
    const value = this.json();
    if (!isObject(value)) throw badAnswer('no JSON object');
    return value;
  }
}

/**
 * One request and its whole answer; it is never sent twice, and follows no redirect: that would show the key to others.
 *
 * @throws RobotRestError: the problem of the service; Unavailable `timeout`, `connection_lost`, `unreachable`, `bad_answer`.
 */
export async function exchange(url: URL, { timeoutMs, signal, ...request }: Exchange): Promise<Answer> {
  const abort = new AbortController();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    abort.abort();
  }, timeoutMs);
  const giveUp = () => abort.abort();
  signal?.addEventListener('abort', giveUp);
  if (signal?.aborted) giveUp();
  try {
    const response = await send(url, request, abort.signal);
    const answer = new Answer(response.status, await bytesOf(response));
    if (response.status >= 300) throw problemOf(answer);
    return answer;
  } catch (error) {
    if (timedOut) throw new Unavailable(null, 'timeout', `No answer within ${timeoutMs / 1000} s.`, 'maybe');
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}

/** The body of a GET as it comes. Its end, and any failure, end the iteration; the signal has to be aborted at last. */
export async function* stream(
  url: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const response = await send(url, { method: 'GET', headers }, signal);
  if (response.status >= 300) throw problemOf(new Answer(response.status, await bytesOf(response)));
  yield new Uint8Array(); // the answer is there
  yield* piecesOf(response);
}

/** What JSON does not have is refused rather than sent as `null`. @throws TypeError. */
export function encodeJson(value: unknown): string {
  const text = JSON.stringify(value, (name, member: unknown) => {
    if (typeof member === 'number' && !Number.isFinite(member))
      throw new TypeError(`${name || 'The value'} is not finite.`);
    return member;
  });
  if (text === undefined) throw new TypeError('The value is not JSON.');
  return text;
}

/** A name as one segment of a path. @throws TypeError. */
export function segment(name: string): string {
  if (name === '' || name === '.' || name === '..') throw new TypeError("A name is not empty, '.' or '..'.");
  return encodeURIComponent(name);
}

async function send(url: URL, request: Omit<Exchange, 'timeoutMs'>, signal: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: request.method,
    headers: request.headers ?? {},
    ...(request.body === undefined ? {} : { body: request.body }),
    signal,
    ...PRIVATE,
  }).catch(throwUnavailable);
}

async function* piecesOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(throwUnavailable);
      if (done) return;
      yield value as Uint8Array; // as: bodies are bytes
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function bytesOf(response: Response): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of piecesOf(response)) {
    size += piece.length;
    if (size > MAX_BODY_BYTES) throw badAnswer(`a body of more than ${MAX_BODY_BYTES >> 20} MiB`);
    pieces.push(piece);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}

/** Converts an error response. One without a problem document, such as a proxy's, gets the code `http_<status>`. */
function problemOf(answer: Answer): Error {
  let problem: unknown;
  try {
    problem = answer.json();
  } catch {
    problem = undefined;
  }
  return errorFromProblem(answer.status, problem);
}

/** What fetch and the readers of bodies throw says little in browsers, and is nested in Node. */
function throwUnavailable(error: { readonly cause?: unknown }): never {
  const { code, message }: Record<string, unknown> = isObject(error.cause) ? error.cause : {};
  if (NEVER_CONNECTED.test(String(code))) {
    throw new Unavailable(null, 'unreachable', `The service cannot be reached: ${String(code)}.`, 'no');
  }
  if (/^HPE_/.test(String(code))) throw badAnswer('no HTTP answer');
  if (/redirect/.test(String(message))) throw badAnswer('a redirect');
  throw connectionLost();
}
