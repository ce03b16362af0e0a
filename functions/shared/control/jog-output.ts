import type { Logger } from '../observability/logger.ts';
import type { Jog, Velocity } from '../robot-link/port.ts';
import { STILL } from './jog-velocity.ts';

/** Zero velocity is sent three times because velocities are not acknowledged. */
const ZERO_TIMES = 3;
const ZERO_INTERVAL_MS = 20;
const ZERO_VALID_MS = 300;

/** Sends velocities to the robot, followed by zero three times. */
export class JogOutput {
  readonly #robot: () => Jog | undefined;
  readonly #logger: Logger;
  #sent = 0;
  /** Whether the last velocity was not zero. */
  #moving = false;
  #zeros: NodeJS.Timeout[] = [];

  constructor(robot: () => Jog | undefined, logger: Logger) {
    this.#robot = robot;
    this.#logger = logger;
  }

  /** Sends a velocity. @throws ServiceError what {@link Jog.send} throws. */
  move(robot: Jog, velocity: Velocity, validMs: number, arrivedAt: number): void {
    this.cancelZeros();
    this.#sent += 1;
    robot.send({ velocity, seq: this.#sent, validMs, arrivedAt });
    this.#moving = true;
  }

  /** Sends zero unless that was the last velocity. Never throws: if zero is lost, the robot's watchdog stops it. */
  standStill(): void {
    if (!this.#moving) return;
    this.#moving = false;
    this.#sendZero();
    for (let times = 1; times < ZERO_TIMES; times += 1) {
      this.#zeros.push(setTimeout(() => this.#sendZero(), times * ZERO_INTERVAL_MS).unref());
    }
  }

  /** Drops pending zeros, so that they do not slow down the motion that follows. */
  cancelZeros(): void {
    for (const timer of this.#zeros.splice(0)) clearTimeout(timer);
  }

  #sendZero(): void {
    this.#sent += 1;
    try {
      this.#robot()?.send({ velocity: STILL, seq: this.#sent, validMs: ZERO_VALID_MS });
    } catch (error) {
      this.#logger.warn({ err: error }, 'cannot send zero velocity; relying on the watchdog of the robot');
    }
  }
}
