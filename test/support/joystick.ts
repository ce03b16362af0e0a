import { arrivalStamp } from '../../functions/shared/control/fence.ts';
import type { Jog, RobotLink, Velocity } from '../../functions/shared/robot-link/port.ts';

const FRAME_MS = 50;
const VALID_MS = 300;

/** The jog of a link that has one. */
export function jogOf(link: RobotLink): Jog {
  const jog = link.jog?.();
  if (!jog) throw new Error('The robot cannot be driven by hand');
  return jog;
}

/** A stick that is held: sends a velocity 20 times a second, however many are refused. */
export class Joystick {
  sent = 0;
  readonly refusals: unknown[] = [];
  readonly #jog: Jog;
  readonly #velocity: Velocity;
  readonly #timer: NodeJS.Timeout;

  constructor(link: RobotLink, velocity: Velocity) {
    this.#jog = jogOf(link);
    this.#velocity = velocity;
    this.#timer = setInterval(() => this.#send(), FRAME_MS);
    this.#send();
  }

  /** As a client that dies: no zero follows. */
  drop(): void {
    clearInterval(this.#timer);
  }

  #send(): void {
    try {
      const seq = this.sent + this.refusals.length;
      this.#jog.send({ velocity: this.#velocity, seq, validMs: VALID_MS, arrivedAt: arrivalStamp() });
      this.sent += 1;
    } catch (error) {
      this.refusals.push(error);
    }
  }
}
