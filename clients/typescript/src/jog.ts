import { AccessError, LeaseHeld, LeaseLost, RobotRestError, Stopped, Unavailable, ValidationFailed } from './errors.ts';
import { type Frame, type JogTransport, PostTransport } from './jog-transport.ts';
import { isUnauthorized, type Session } from './session.ts';

/** The same velocity is sent again after this part of its deadline. */
const REPEAT_AT = 0.33;
/** Between two frames, however often the velocity changes. */
const MIN_INTERVAL_MS = 20;
const FIRST_TIMEOUT_MS = 5000;
const ZERO_ATTEMPTS = 3;
const ZERO_TIMEOUT_MS = 1000;
/** After so long without an acknowledged frame the jog has ended. */
const MAX_SILENCE_MS = 1000;

/** m/s forward and to the left, rad/s counter-clockwise. */
export interface Velocity {
  readonly vx?: number;
  readonly vy?: number;
  readonly wz?: number;
}

export interface JogOptions {
  /** Without a newer velocity for so long the robot stands still: 100 to 1000 ms. */
  readonly deadlineMs?: number;
  /** Called when a velocity was refused, with what {@link Jog.setVelocity} throws from then on. */
  readonly onRefused?: (error: RobotRestError) => void;
}

/** The lease under which a jog drives, as far as it needs one. */
interface JogLease {
  readonly lost: AbortSignal;
  readonly id: string;
  readonly lastId: string;
  nextSeq(): number;
  kept(at: number): void;
  fail(error: unknown): void;
}

const STILL = { vx: 0, vy: 0, wz: 0 };

/**
 * Sends the velocity that was set last, again and again, until it ends. A stop or an engaged emergency stop ends it:
 * `setVelocity` throws Stopped until zero has been set once, as a stick that is let go. After a lost lease or connection,
 * and once no frame was acknowledged for a second, it has ended for good.
 */
export class Jog {
  readonly #lease: JogLease;
  readonly #session: Session;
  readonly #transport: JogTransport;
  readonly #deadlineMs: number;
  readonly #onRefused: (error: RobotRestError) => void;
  #velocity: Required<Velocity> = STILL;
  #stamp: string | undefined;
  #error: RobotRestError | undefined;
  #acknowledgedAt = performance.now();
  #sentAt = 0;
  #tickedAt = performance.now();
  #outstanding = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = false;
  /** True while what moved the robot before is being cancelled; velocities have no effect until then. */
  waiting = false;

  /** Use `Lease.jog`. */
  constructor(lease: JogLease, session: Session, transport: JogTransport, options: JogOptions) {
    const { deadlineMs = 300, onRefused = () => undefined } = options;
    if (!(deadlineMs >= 100 && deadlineMs <= 1000)) throw new RangeError('deadlineMs is 100 to 1000.');
    this.#lease = lease;
    this.#session = session;
    this.#transport = transport;
    this.#deadlineMs = Math.round(deadlineMs);
    this.#onRefused = onRefused;
  }

  /** @throws RobotRestError: Unavailable if this robot cannot be driven by hand. */
  async begin(): Promise<this> {
    try {
      await this.#send(STILL, this.#transport, FIRST_TIMEOUT_MS);
    } catch (error) {
      this.#transport.close();
      throw error;
    }
    this.#schedule(0);
    return this;
  }

  /**
   * Returns at once; the service clamps what is too fast.
   * @throws Stopped, LeaseLost, Unavailable and others if earlier frames were refused; RangeError.
   */
  setVelocity({ vx = 0, vy = 0, wz = 0 }: Velocity): void {
    const still = vx === 0 && vy === 0 && wz === 0;
    if (![vx, vy, wz].every(Number.isFinite)) {
      this.#velocity = STILL;
      throw new RangeError('A velocity is finite.');
    }
    if (this.#error) {
      if (!still || !(this.#error instanceof Stopped)) throw this.#error;
      this.#error = undefined;
      this.#acknowledgedAt = performance.now();
    }
    if (this.#ended) throw new Unavailable(null, 'closed', 'This jog has ended.', 'no');
    if (this.#lease.lost.aborted) {
      this.#refuse(new LeaseLost(null, 'lease_lost', 'The lease was lost; the jog has ended.', 'no'));
      throw this.#error;
    }
    this.#velocity = { vx, vy, wz };
    this.#schedule(MIN_INTERVAL_MS - (performance.now() - this.#sentAt));
  }

  /**
   * Zero velocity, as often as it takes. Resolves once the service has accepted it, or moves nothing anyhow: after a stop,
   * or under a lease that is over. @throws Unavailable if nothing has confirmed it: then stop the robot.
   */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#velocity = STILL;
    clearTimeout(this.#timer);
    try {
      if (!movesNothing(this.#error)) await this.#zero();
    } finally {
      this.#transport.close();
    }
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#ended) this.#timer = setTimeout(() => this.#tick(), Math.max(0, delayMs));
  }

  #tick(): void {
    this.#schedule(this.#deadlineMs * REPEAT_AT);
    // While a refusal has not been acknowledged by setVelocity, nothing is sent: a zero frame would let go of the stick
    // in the program's name.
    if (this.#error) return;
    const now = performance.now();
    // After a pause of this program itself, answers that have come meanwhile are read first.
    if (now - this.#tickedAt > MAX_SILENCE_MS / 2)
      this.#acknowledgedAt = Math.max(this.#acknowledgedAt, now - MAX_SILENCE_MS / 2);
    this.#tickedAt = now;
    const left = this.#acknowledgedAt + MAX_SILENCE_MS - now;
    if (left <= 0) {
      const detail = 'No velocity was accepted for a second; the jog has ended.';
      this.#refuse(new Unavailable(null, 'timeout', detail, 'maybe'));
      return;
    }
    if (this.#outstanding >= this.#transport.maxOutstanding) return;
    this.#sentAt = now;
    this.#outstanding += 1;
    this.#send(this.#velocity, this.#transport, Math.max(MIN_INTERVAL_MS, left))
      .catch((error) => this.#judge(error))
      .finally(() => {
        this.#outstanding -= 1;
      });
  }

  async #send(velocity: Required<Velocity>, transport: JogTransport, timeoutMs: number, lease = this.#lease.id) {
    const seq = this.#lease.nextSeq();
    const stamp = this.#stamp === undefined ? {} : { stamp: this.#stamp };
    const frame: Frame = { lease, ...velocity, seq, ...stamp, deadline_ms: this.#deadlineMs };
    const sentAt = performance.now();
    try {
      const ack = await transport.send(frame, timeoutMs);
      this.#lease.kept(sentAt);
      this.#acknowledgedAt = performance.now();
      this.#stamp = ack.stamp;
      this.waiting = ack.waiting === true;
    } catch (error) {
      this.#lease.fail(error);
      if (error instanceof RobotRestError && typeof error.problem.stamp === 'string') this.#stamp = error.problem.stamp;
      throw error;
    }
  }

  /** Some refusals pass by themselves: an old stamp, a network that hesitates, a robot that is still busy. */
  #judge(error: RobotRestError): void {
    const { code, status } = error;
    const lasting = [Stopped, LeaseLost, LeaseHeld, ValidationFailed, AccessError].some(
      (Kind) => error instanceof Kind,
    );
    const gone = code === 'component_unavailable' || code === 'connection_lost' || status === 404 || status === 405;
    if (lasting || gone || isUnauthorized(error)) this.#refuse(error);
  }

  #refuse(error: RobotRestError): void {
    if (this.#error) return;
    this.#velocity = STILL;
    this.#error = error;
    this.#onRefused(error);
  }

  async #zero(): Promise<void> {
    let failure: unknown;
    for (let attempt = 0; attempt < ZERO_ATTEMPTS; attempt += 1) {
      const transport = attempt === 0 ? this.#transport : new PostTransport(this.#session);
      try {
        return await this.#send(STILL, transport, ZERO_TIMEOUT_MS, this.#lease.lastId);
      } catch (error) {
        if (movesNothing(error)) return;
        failure = error;
      }
    }
    const detail = failure instanceof RobotRestError ? failure.detail : String(failure);
    const sentence = `Nothing has confirmed that the robot stands still: stop it. ${detail}`;
    throw new Unavailable(null, 'not_confirmed', sentence, 'maybe');
  }
}

/** The service has said itself that it moves nothing for this client. */
function movesNothing(error: unknown): boolean {
  const refused = error instanceof Stopped || error instanceof LeaseLost || error instanceof LeaseHeld;
  return refused && error.answered;
}
