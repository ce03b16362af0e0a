import { AccessError, isObject, RobotRestError, text, Unavailable } from './errors.ts';
import { exchange } from './http.ts';
import { isUnauthorized, type Session } from './session.ts';
import { sleep } from './time.ts';

const PATH = '/api/v2/stop';
const PAUSE_MS = 250;
/** The robot has 10 s to confirm; the answer may take a moment longer. */
const TIMEOUT_MS = 15_000;
/** After so long without an answer the stop is also sent over another connection. */
const SECOND_LANE_MS = 2000;
const STATUS_TIMEOUT_MS = 5000;

/** A confirmed stop. */
export interface Stop {
  readonly stopped: true;
  /** Whether what was sent before it is kept from moving the robot; undefined: the service does not say. */
  readonly fenced: boolean | undefined;
  /** Ids of the skills that it has ended. */
  readonly runsStopped: readonly string[];
  /** Which of the two has confirmed it. */
  readonly by: 'service' | 'guard';
}

export interface StopOptions {
  /** Gives up. What has been sent may still stop the robot. */
  readonly signal?: AbortSignal;
  /** Called with each attempt that was not confirmed: say so, and point to the hardware stop. It is sent again. */
  readonly onNotConfirmed?: (error: RobotRestError) => void;
}

type Target = 'service' | 'guard';

/** Sends stops to the service and its guard, again and again, until one of them confirms. */
export class Stopper {
  readonly #session: Session;
  #guard: URL | undefined;

  constructor(session: Session) {
    this.#session = session;
    session.tokenListeners.add(() => void this.learn());
  }

  /** Where the guard listens, if there is one and this client can reach it. */
  get guard(): URL | undefined {
    return this.#guard;
  }

  /** Asks the service where its guard listens. Without an answer it stays as it was. */
  async learn(): Promise<void> {
    const options = { method: 'GET', timeoutMs: STATUS_TIMEOUT_MS, signal: this.#session.closed };
    const status = await exchange(this.#session.url('/status'), options)
      .then((answer) => answer.object())
      .catch(() => undefined);
    if (status) this.#guard = guardUrl(this.#session.base, status.stop);
  }

  /**
   * Resolves with the first confirmation. It waits for no other request, and needs no lease.
   * @throws the error of the service once it and the guard have refused for good: no valid token (401), or no such robot.
   * @throws RobotRestError, the last one, when the signal gives up.
   */
  async stop({ signal, onNotConfirmed = () => undefined }: StopOptions = {}): Promise<Stop> {
    const over = new AbortController();
    const giveUp = () => over.abort();
    signal?.addEventListener('abort', giveUp);
    if (signal?.aborted) giveUp();
    const targets: Target[] = this.#guard ? ['service', 'guard'] : ['service'];
    let last: RobotRestError | undefined;
    const failed = (error: RobotRestError) => {
      last = error;
      if (!over.signal.aborted) onNotConfirmed(error);
    };
    try {
      const lanes = targets.flatMap((target) =>
        [0, SECOND_LANE_MS].map((delayMs) => this.#lane(target, delayMs, over.signal, failed)),
      );
      return await firstOf(lanes);
    } catch (error) {
      throw last ?? error;
    } finally {
      over.abort();
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /** @throws when it is over, or refused for good. */
  async #lane(
    target: Target,
    delayMs: number,
    over: AbortSignal,
    failed: (error: RobotRestError) => void,
  ): Promise<Stop> {
    await sleep(delayMs, over);
    for (;;) {
      if (over.aborted) throw new Unavailable(null, 'not_confirmed', 'The stop has not been confirmed.', 'maybe');
      const used = this.#session.token;
      try {
        return await this.#send(target);
      } catch (thrown) {
        const error =
          thrown instanceof RobotRestError ? thrown : new Unavailable(null, 'bad_answer', String(thrown), 'maybe');
        failed(error);
        const replaced = isUnauthorized(error) && (await this.#replaceToken(used, error));
        if (!replaced && isLasting(error)) throw error;
      }
      await sleep(PAUSE_MS, over);
    }
  }

  /** Not aborted when the other one confirms: a stop that is on its way shall arrive. */
  async #send(target: Target): Promise<Stop> {
    const base = target === 'guard' && this.#guard ? this.#guard : this.#session.base;
    const answer = (
      await exchange(new URL(`.${PATH}`, base), {
        method: 'POST',
        headers: this.#session.authorization(),
        timeoutMs: TIMEOUT_MS,
      })
    ).object();
    if (answer.stopped !== true) {
      throw new Unavailable(200, 'bad_answer', 'The answer does not say that the robot has stopped.', 'maybe');
    }
    const fenced = typeof answer.fenced === 'boolean' ? answer.fenced : undefined;
    const runs = Array.isArray(answer.runs_stopped) ? answer.runs_stopped : [];
    return { stopped: true, fenced, runsStopped: runs.flatMap((id) => text(id) ?? []), by: target };
  }

  /** False where there is no newer one, and none can be had at present. */
  async #replaceToken(used: Session['token'], error: RobotRestError): Promise<boolean> {
    return this.#session.replaceToken(used, error).then(
      () => true,
      (refusal) => !isUnauthorized(refusal),
    );
  }
}

/** Where the guard listens, as `/status` says. Undefined behind a proxy, which does not lead to it. */
export function guardUrl(service: URL, stop: unknown): URL | undefined {
  if (!isObject(stop) || service.pathname !== '/') return undefined;
  const number = service.protocol === 'https:' ? stop.tls_port : stop.port;
  if (typeof number !== 'number' || !Number.isInteger(number) || number <= 0 || number >= 65_536) return undefined;
  const url = new URL(service);
  url.port = String(number);
  return url;
}

/** Sending it again would not change it. */
function isLasting(error: RobotRestError): boolean {
  return error.status === 404 || error.status === 405 || error instanceof AccessError || isUnauthorized(error);
}

/** The first that resolves; throws what the first one threw once all have failed. */
function firstOf<T>(promises: readonly Promise<T>[]): Promise<T> {
  return Promise.any(promises).catch((error: AggregateError) => {
    throw error.errors[0];
  });
}
