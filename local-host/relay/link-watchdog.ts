import type { Fence } from '../../functions/shared/control/fence.ts';
import type { Logger } from '../../functions/shared/observability/logger.ts';
import type { RobotMetrics } from '../../functions/shared/observability/metrics.port.ts';
import type { Broker } from '../../functions/shared/robot-link/adapters/broker/broker.ts';

/** The robot stops by itself when the broker has been silent this long. Announced in its presence message. */
export const LINK_LOSS_MS = 1_000;
/** How often the broker is pinged while a motion that came through it may still be running. */
const CHECK_INTERVAL_MS = 200;
/** Silence after which the robot is stopped, early enough for the stop to reach it within {@link LINK_LOSS_MS}. */
const SILENCE_LIMIT_MS = LINK_LOSS_MS - CHECK_INTERVAL_MS;

interface Parts {
  readonly broker: () => Pick<Broker, 'ping' | 'silentForMs'>;
  readonly fence: Fence;
  readonly logger: Logger;
  readonly metrics: Pick<RobotMetrics, 'linkLossStop'>;
  /** Stops the robot; settles once the robot has confirmed. */
  readonly stop: () => Promise<unknown>;
}

/**
 * Stops the robot when the link that its last motion came through is lost: its sender could no longer stop it. Motion
 * started on this machine, and commands that finish by themselves (`on_lapse: finish`), are left alone. The stop is
 * repeated until the robot confirms it.
 */
export class LinkWatchdog {
  readonly #parts: Parts;
  readonly #timer: NodeJS.Timeout;
  #lastMotion: number | undefined;
  #stopping = false;
  #unconfirmed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
  }

  /** Records that a motion which arrived through the broker at this stamp has been sent to the robot. */
  recordMotion(arrivedAt: number): void {
    this.#lastMotion = arrivedAt;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    if (this.#stopping) return;
    const { broker, fence, logger, metrics, stop } = this.#parts;
    if (!this.#unconfirmed) {
      if (this.#lastMotion === undefined || fence.lastMotion !== this.#lastMotion) return;
      if (broker().silentForMs < SILENCE_LIMIT_MS) {
        broker().ping();
        return;
      }
      logger.warn(
        { silent_ms: Math.round(broker().silentForMs) },
        'lost the broker; stopping the motion it had started',
      );
      metrics.linkLossStop();
    }
    this.#stopping = true;
    stop()
      .then(
        () => {
          this.#unconfirmed = false;
        },
        (error: unknown) => {
          if (!this.#unconfirmed) logger.error({ err: error }, 'the robot did not confirm the stop; repeating it');
          this.#unconfirmed = true;
        },
      )
      .finally(() => {
        this.#stopping = false;
      });
  }
}
