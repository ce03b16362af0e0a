import type { Broker } from '../../functions/shared/adapters/mqtt/broker.ts';
import type { Fence } from '../../functions/shared/control/fence.ts';
import type { Logger } from '../../functions/shared/logger.ts';

/** What the robot promises in its presence: it stops by itself after so long a silence of the broker. */
export const LINK_LOSS_MS = 1_000;
/** How often the broker is asked for a sign of life while a motion that came through it may be under way. */
const CHECK_EVERY_MS = 200;
/** Silence after which the robot is stopped, so that it is told within {@link LINK_LOSS_MS}. */
const SILENT_MS = LINK_LOSS_MS - CHECK_EVERY_MS;

interface Parts {
  readonly broker: () => Pick<Broker, 'ping' | 'silentForMs'>;
  readonly fence: Fence;
  readonly logger: Logger;
  /** Stops the robot; settles when it has confirmed. */
  readonly stop: () => Promise<unknown>;
}

/**
 * Stops the robot when the link is lost over which its last motion was sent: nobody there could stop it any more. Motion
 * that began on this machine, and what finishes by itself (`on_lapse: finish`), is left alone. A stop that is not confirmed
 * is repeated.
 */
export class LinkWatch {
  readonly #parts: Parts;
  readonly #timer: NodeJS.Timeout;
  #motion: number | undefined;
  #stopping = false;
  #unconfirmed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#check(), CHECK_EVERY_MS).unref();
  }

  /** A motion that came through the broker at this stamp has been sent to the robot. */
  moved(arrivedAt: number): void {
    this.#motion = arrivedAt;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    if (this.#stopping) return;
    const { broker, fence, logger, stop } = this.#parts;
    if (!this.#unconfirmed) {
      if (this.#motion === undefined || fence.lastMotion !== this.#motion) return;
      if (broker().silentForMs < SILENT_MS) {
        broker().ping();
        return;
      }
      logger.warn({ silent_ms: Math.round(broker().silentForMs) }, 'the broker is silent; stopping what it had moved');
    }
    this.#stopping = true;
    stop()
      .then(
        () => {
          this.#unconfirmed = false;
        },
        (error: unknown) => {
          if (!this.#unconfirmed) logger.error({ err: error }, 'the robot did not confirm this stop; it is repeated');
          this.#unconfirmed = true;
        },
      )
      .finally(() => {
        this.#stopping = false;
      });
  }
}
