import { AuthError, RobotRestError, Unavailable } from './errors.ts';
import { type Answer, type Exchange, encodeJson, exchange, stream } from './http.ts';
import { Semaphore } from './semaphore.ts';
import { backgroundTimer, Stopwatch } from './time.ts';
import { assertSendable, type HeldToken, readToken, type Token } from './token.ts';

const REQUEST_TIMEOUT_MS = 30_000;
/** A token is refreshed after this part of its life. */
const REFRESH_AT = 0.75;
const MIN_REFRESH_MS = 200;
const RETRY_MS = [500, 1000, 2000, 5000, 10_000] as const;
/** A session that ends has tokens shorter than this; a key then begins a new one. */
const SHORT_MS = 5000;
/** Browsers open six connections to a host: stop and keep-alives always find one, and waits leave some to others. */
const IN_NODE = (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node !== undefined; // as: absent in browsers
const MAX_CONCURRENT = IN_NODE ? 32 : 2;

export interface Credentials {
  readonly key?: string | undefined;
  /** A token in place of a key; it is refreshed for as long as this client is open. */
  readonly token?: string | undefined;
}

export interface SessionRequest extends Partial<Omit<Exchange, 'method' | 'body'>> {
  readonly json?: unknown;
  readonly form?: FormData;
  /** Whether it may come twice; reads may. */
  readonly repeatable?: boolean;
  /** `urgent` requests wait for no other; `wait` ones, which may take minutes, only for their like. */
  readonly lane?: 'urgent' | 'wait' | 'normal';
}

/** Requests with a token, which is kept fresh, never written anywhere, and ends with the process. */
export class Session {
  /** Ends with a slash; requests go below it. */
  readonly base: URL;
  /** Called with each new token. */
  readonly tokenListeners = new Set<(token: Token) => void>();
  /** Called with the error that says that token and key are no longer valid, before it is thrown. */
  readonly refusalListeners = new Set<(error: AuthError) => void>();
  readonly #key: string | undefined;
  readonly #closed = new AbortController();
  readonly #lanes = { wait: new Semaphore(MAX_CONCURRENT), normal: new Semaphore(MAX_CONCURRENT) };
  #given: string | undefined;
  #token: HeldToken | undefined;
  #renewals: Promise<unknown> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;

  /** @throws TypeError, which never quotes what may be a secret. */
  constructor(base: URL, { key, token }: Credentials) {
    if ((key === undefined) === (token === undefined)) throw new TypeError('Give either key or token.');
    assertSendable(key ?? token ?? '');
    this.base = base;
    this.#key = key;
    this.#given = token;
  }

  /** @throws RobotRestError. */
  async open(): Promise<void> {
    try {
      await (this.#given === undefined ? this.#authenticate() : this.#refresh(this.#given));
    } catch (error) {
      this.close();
      if (error instanceof RobotRestError && (error.code === 'bad_answer' || /^http_[34]/.test(error.code))) {
        throw new Unavailable(
          error.status,
          'bad_answer',
          `No robot-rest answers at ${this.base}. ${error.detail}`,
          'no',
        );
      }
      throw error;
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#closed.abort();
  }

  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** The last one, valid or not. */
  get token(): Token | undefined {
    return this.#token;
  }

  /** The address of a path below `/`. */
  url(path: string): URL {
    return new URL(`.${path}`, this.base);
  }

  authorization(): Record<string, string> {
    return this.#token ? { Authorization: `Bearer ${this.#token.token}` } : {};
  }

  /**
   * One request; once more with a new token if the service says that the old one is no longer valid.
   * @throws RobotRestError.
   */
  async request(method: string, path: string, options: SessionRequest = {}): Promise<Answer> {
    const { json, form, repeatable = method === 'GET', lane = 'normal', headers, timeoutMs, signal } = options;
    const body = json === undefined ? form : encodeJson(json);
    const type: Record<string, string> = json === undefined ? {} : { 'Content-Type': 'application/json' };
    this.wake();
    const send = async () => {
      if (this.closed.aborted) throw new Unavailable(null, 'closed', 'This client is closed.', 'no');
      return exchange(this.url(path), {
        method,
        headers: { ...headers, ...type, ...this.authorization() },
        body,
        timeoutMs: timeoutMs ?? REQUEST_TIMEOUT_MS,
        signal: signal ?? this.closed,
      });
    };
    const attempt = async () => {
      try {
        return await send();
      } catch (error) {
        // A kept connection may just have been closed by the service.
        if (!repeatable || signal?.aborted || !(error instanceof Unavailable) || error.code !== 'connection_lost')
          throw error;
        return send();
      }
    };
    return this.withValidToken(() => (lane === 'urgent' ? attempt() : this.#lanes[lane].run(attempt)));
  }

  /** Runs it, and once more if it fails with 401 and a newer token can be had. @throws what it throws. */
  async withValidToken<T>(run: () => Promise<T>): Promise<T> {
    const used = this.#token;
    try {
      return await run();
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
      await this.replaceToken(used, error);
      return run().catch((refused) => this.#refuse(refused));
    }
  }

  /** Authenticates anew, unless that was done meanwhile. @throws the refusal where there is no key; RobotRestError. */
  async replaceToken(used: Token | undefined, refusal: Error): Promise<void> {
    await this.#exclusively(async () => {
      if (this.#token !== used) return;
      if (this.#key === undefined) throw refusal;
      await this.#authenticate();
    }).catch((error) => this.#refuse(error));
  }

  /** The body of a GET as it comes. */
  stream(path: string, headers: Record<string, string>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    return stream(this.url(path), { ...headers, ...this.authorization() }, signal);
  }

  /** Refreshes the token if that is overdue, as it is after the computer has slept. */
  wake(): void {
    const token = this.#token;
    if (!token || this.#failures > 0 || token.age.elapsedMs() < token.lifeMs * REFRESH_AT + SHORT_MS) return;
    this.#schedule(0);
  }

  #refuse(error: unknown): never {
    if (isUnauthorized(error)) for (const listener of this.refusalListeners) listener(error);
    throw error;
  }

  async #authenticate(): Promise<void> {
    await this.#take('/api/v2/auth/', { 'X-API-Key': this.#key ?? '' });
  }

  async #refresh(token: string): Promise<void> {
    await this.#take('/api/v2/auth/refresh/', { Authorization: `Bearer ${token}` });
  }

  async #take(path: string, headers: Record<string, string>): Promise<void> {
    const options = { method: 'GET', headers, timeoutMs: REQUEST_TIMEOUT_MS, signal: this.closed };
    const age = new Stopwatch();
    const answer = (await exchange(this.url(path), options)).object();
    this.#token = readToken(answer, age);
    this.#failures = 0;
    this.#schedule(Math.max(MIN_REFRESH_MS, this.#token.lifeMs * REFRESH_AT));
    for (const listener of this.tokenListeners) listener(this.#token);
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (!this.closed.aborted) this.#timer = backgroundTimer(() => void this.#keepFresh(), delayMs);
  }

  async #keepFresh(): Promise<void> {
    try {
      await this.#exclusively(() => this.#renew());
    } catch (error) {
      this.#failures += 1;
      if (!isUnauthorized(error)) {
        this.#schedule(RETRY_MS[Math.min(this.#failures, RETRY_MS.length) - 1] ?? SHORT_MS);
      } else for (const listener of this.refusalListeners) listener(error);
    }
  }

  /** Refreshes the token; where that is refused or would not last, and there is a key, authenticates anew. */
  async #renew(): Promise<void> {
    const old = this.#token;
    if (!old) return;
    const endsIn = old.lifeMs - old.age.elapsedMs();
    try {
      await this.#refresh(old.token);
    } catch (error) {
      if (!isUnauthorized(error) || this.#key === undefined) throw error;
      return this.#authenticate();
    }
    const left = this.#token?.lifeMs ?? 0;
    if (left < SHORT_MS && left <= endsIn + 1000 && this.#key !== undefined) await this.#authenticate();
  }

  #exclusively<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#renewals.then(run);
    this.#renewals = turn.catch(() => undefined);
    return turn;
  }
}

export function isUnauthorized(error: unknown): error is AuthError {
  return error instanceof AuthError && (error.status === 401 || error.status === null);
}
