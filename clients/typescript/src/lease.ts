import { AccessError, badAnswer, LeaseHeld, LeaseLost, RobotRestError, text, Unavailable } from './errors.ts';
import { segment } from './http.ts';
import { Jog, type JogOptions } from './jog.ts';
import { PostTransport, SocketTransport } from './jog-transport.ts';
import type { WebSocketConstructor } from './service-socket.ts';
import { isUnauthorized, type Session } from './session.ts';
import { sleep } from './time.ts';

/** Of its time to live, after which it is kept again. */
const KEEP_AT = 0.25;
const MAX_KEEP_MS = 5000;
const MIN_TTL_MS = 500;
const RETURN_TIMEOUT_MS = 5000;
const CHECK_TIMEOUT_MS = 2000;

export interface LeaseOptions {
  /** It lapses after so long without a sign of this client: 500 to 60 000 ms. */
  readonly ttlMs?: number;
  /** Takes it from whoever holds it, and stops the robot. Needs ADMIN. */
  readonly take?: { readonly reason: string };
}

/** What the leases of one robot object share. */
export class Control {
  readonly session: Session;
  readonly WebSocket: WebSocketConstructor | undefined;
  /** 16 random bytes, by which the service tells the holders of one client id apart. */
  readonly instance = base64url(crypto.getRandomValues(new Uint8Array(16)));
  /** The lease that is held at present. */
  lease: Lease | undefined;
  /** Of the last frame of a jog; a lease that is acquired again may still be the same one for the service. */
  seq = 0;

  constructor(session: Session, WebSocket: WebSocketConstructor | undefined) {
    this.session = session;
    this.WebSocket = WebSocket;
    // Without a valid token no lease can be kept.
    session.refusalListeners.add((error) => this.lease?.fail(error));
  }
}

/**
 * While it is held, only commands of this robot object move the robot; it is kept in the background. `lost` is aborted
 * once it has lapsed, was taken or could not be kept, and stays so: acquire a new one.
 */
export class Lease {
  readonly ttlMs: number;
  /** False if the lease was taken, and the robot has not confirmed yet that it has stopped: nothing moves it. */
  stopConfirmed = true;
  readonly #control: Control;
  readonly #session: Session;
  readonly #take: LeaseOptions['take'];
  readonly #lost = new AbortController();
  readonly #ended = new AbortController();
  readonly #jogs = new Set<Jog>();
  #id = '';
  #keptAt = 0;

  /** Use {@link Robot.lease}. */
  constructor(control: Control, { ttlMs = 2000, take }: LeaseOptions) {
    if (!(ttlMs >= MIN_TTL_MS && ttlMs <= 60_000)) throw new RangeError('ttlMs is 500 to 60000.');
    if (take && !take.reason) throw new TypeError('Taking a lease needs a reason; it is kept in the audit trail.');
    this.ttlMs = Math.round(ttlMs);
    this.#control = control;
    this.#session = control.session;
    this.#take = take;
  }

  /** @throws LeaseHeld if somebody else holds it; RobotRestError. */
  async acquire(): Promise<this> {
    if (this.#control.lease) throw new TypeError('This robot object has a lease already; release that first.');
    this.#control.lease = this;
    try {
      await this.#acquire();
    } catch (error) {
      this.#control.lease = undefined;
      throw error;
    }
    void this.#keep();
    return this;
  }

  /** Aborted once it is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** For the header `Lease`. @throws LeaseLost. */
  get id(): string {
    const over = this.#ended.signal.aborted;
    if (!over && performance.now() > this.#keptAt + this.ttlMs) this.#lose();
    if (over || this.lost.aborted) {
      throw new LeaseLost(null, 'lease_lost', 'The lease was lost; nothing was sent. Acquire a new one.', 'no');
    }
    return this.#id;
  }

  /** Also of a lease that is lost. */
  get lastId(): string {
    return this.#id;
  }

  /** Drives by hand, see {@link Jog}. @throws RobotRestError: Unavailable if this robot cannot be driven by hand. */
  async jog(options: JogOptions = {}): Promise<Jog> {
    const { WebSocket } = this.#control;
    const transport = WebSocket
      ? await SocketTransport.open(this.#session, WebSocket)
      : new PostTransport(this.#session);
    const jog = await new Jog(this, this.#session, transport, options).begin();
    this.#jogs.add(jog);
    return jog;
  }

  /** Returns it; what it began goes on, except for jogs, which end. @throws Unavailable as {@link Jog.end}. */
  async release(): Promise<void> {
    await this.#finish(() => this.#giveBack(this.#id));
  }

  /** Has it lapse within half a second: the service ends what was begun under it, as if this program had died. */
  async abandon(): Promise<void> {
    await this.#finish(async () => {
      const json = { instance: this.#control.instance, ttl_ms: MIN_TTL_MS };
      const options = { json, timeoutMs: RETURN_TIMEOUT_MS, lane: 'urgent' as const };
      await this.#session.request('POST', '/api/v2/lease/', options).catch(() => undefined); // it lapses later
    });
  }

  nextSeq(): number {
    this.#control.seq += 1;
    return this.#control.seq;
  }

  /** The service has accepted something under this lease that was sent then, on the monotonic clock. */
  kept(sentAt: number): void {
    this.#keptAt = Math.max(this.#keptAt, sentAt);
  }

  /** Takes note of an error that may mean that the lease is lost. */
  fail(error: unknown): void {
    if (error instanceof LeaseLost || error instanceof LeaseHeld || isUnauthorized(error)) this.#lose();
  }

  /** Asks the service now. False also if it does not answer. */
  async isLost(): Promise<boolean> {
    if (!this.lost.aborted && !(await this.#keepOnce(CHECK_TIMEOUT_MS))) this.#lose();
    return this.lost.aborted;
  }

  async #acquire(): Promise<void> {
    const claim = { instance: this.#control.instance, ttl_ms: this.ttlMs };
    let keptAt = performance.now();
    let answer: Record<string, unknown>;
    try {
      const path = this.#take ? '/api/v2/lease/take' : '/api/v2/lease/';
      const json = { ...claim, ...this.#take };
      answer = (await this.#session.request('POST', path, { json, lane: 'urgent' })).object();
      if (this.#take) keptAt = performance.now(); // its time begins with the answer
    } catch (error) {
      if (!(error instanceof Unavailable) || text(error.problem.lease_id) === undefined) throw error;
      answer = error.problem;
      keptAt = performance.now();
      this.stopConfirmed = false;
    }
    const id = text(answer.lease_id);
    if (id === undefined) throw badAnswer('a lease without id');
    this.#id = id;
    this.#keptAt = keptAt;
  }

  async #keep(): Promise<void> {
    const over = AbortSignal.any([this.lost, this.#ended.signal, this.#session.closed]);
    while (!over.aborted) {
      await sleep(Math.min(this.ttlMs * KEEP_AT, MAX_KEEP_MS), over);
      if (over.aborted) break;
      if (!(await this.#keepOnce(this.ttlMs))) break;
    }
    if (!this.#ended.signal.aborted) this.#lose();
  }

  /** False once it is lost. */
  async #keepOnce(timeoutMs: number): Promise<boolean> {
    const sentAt = performance.now();
    const left = this.#keptAt + this.ttlMs - sentAt;
    if (left <= 0) return false;
    try {
      const options = { timeoutMs: Math.min(left, timeoutMs), repeatable: true, lane: 'urgent' as const };
      const answer = (await this.#session.request('PUT', `/api/v2/lease/${segment(this.#id)}`, options)).object();
      const id = text(answer.lease_id);
      if (id === this.#id) {
        this.kept(sentAt);
        return true;
      }
      // It had lapsed, and has been revived: what ran under it was stopped. Nobody shall drive on.
      this.#lose();
      if (id !== undefined) await this.#giveBack(id);
      return false;
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof LeaseHeld || error instanceof AccessError) return false;
      if (isUnauthorized(error)) return false;
      return error instanceof RobotRestError && (error.status === null || error.status >= 429);
    }
  }

  async #finish(end: () => Promise<void>): Promise<void> {
    if (this.#ended.signal.aborted) return;
    const jogs = await Promise.allSettled([...this.#jogs].map((jog) => jog.end()));
    this.#ended.abort();
    this.#control.lease = undefined;
    if (!this.lost.aborted) await end();
    const failed = jogs.find((jog) => jog.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #giveBack(id: string): Promise<void> {
    const options = { timeoutMs: RETURN_TIMEOUT_MS, repeatable: true, lane: 'urgent' as const };
    await this.#session.request('DELETE', `/api/v2/lease/${segment(id)}`, options).catch(() => undefined); // it lapses
  }

  #lose(): void {
    this.#lost.abort();
  }
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
