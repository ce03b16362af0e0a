import type { WebSocket } from 'ws';
import { FrameRate } from './frame-rate.ts';
import type { EventLimits } from './limits.ts';

/** Whether the client of a WebSocket is still there, and whether it sends more than it may. */
export class Liveness {
  readonly #socket: WebSocket;
  readonly #limits: EventLimits;
  readonly #frames: FrameRate;
  readonly #jogFrames: FrameRate;
  /** On a clock that nobody sets. */
  #heardAt = performance.now();
  #pingedAt = this.#heardAt;

  constructor(socket: WebSocket, limits: EventLimits) {
    this.#socket = socket;
    this.#limits = limits;
    this.#frames = new FrameRate(limits.framesPerSecond);
    this.#jogFrames = new FrameRate(limits.jogFramesPerSecond);
  }

  /** Called for each frame of the client; jog frames are counted separately. @returns false if the limit is exceeded. */
  hear(isJog = false): boolean {
    this.#heardAt = performance.now();
    return (isJog ? this.#jogFrames : this.#frames).take(this.#heardAt);
  }

  /** Pings when it is time to. @returns false when the client has been silent for too long. */
  check(): boolean {
    const now = performance.now();
    const { silentMs, pingMs } = this.#limits;
    if (now - this.#heardAt >= silentMs) return false;
    if (now - this.#pingedAt >= pingMs) {
      this.#pingedAt = now;
      if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
    }
    return true;
  }
}
