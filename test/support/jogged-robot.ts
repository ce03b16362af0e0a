import { expect } from '@jest/globals';
import { arrivalStamp } from '../../functions/shared/control/fence.ts';
import type { JogEnd, JogFrameFate, JogOutcome, JogSource } from '../../functions/shared/control/jog.ts';
import type { JogController } from '../../functions/shared/control/jog-controller.ts';
import type { LeaseRegister } from '../../functions/shared/control/lease-register.ts';
import type { MotionGuard } from '../../functions/shared/control/motion-guard.port.ts';
import type { ServiceError } from '../../functions/shared/errors.ts';
import type { Jog, JogFrame, Velocity } from '../../functions/shared/robot-link/port.ts';
import { ANNA, jogsOf, LeasedRobot } from './leased-robot.ts';

export const FORWARD = { vx: 0.2 };
export const MOVING = { vx: 0.2, vy: 0, wz: 0 };
export const ZERO = { vx: 0, vy: 0, wz: 0 };
export const THREE_ZEROS = [ZERO, ZERO, ZERO];

export const sourceOf = (clientId: string): JogSource => ({
  clientId,
  keyId: 'key',
  address: '192.0.2.1',
  listener: 'tcp',
});

/** A robot whose lease is held by `anna`, and everything it was sent while driven by hand. */
export class JoggedRobot {
  readonly leased = new LeasedRobot();
  readonly leases: LeaseRegister = this.leased.open();
  readonly sent: JogFrame[] = [];
  readonly fates: JogFrameFate[] = [];
  readonly audited: Array<'begin' | JogEnd> = [];
  readonly jogs: JogController;
  /** Id of the lease under which {@link frame} sends. */
  lease = '';
  /** What the link promises; undefined: no jog. */
  jog: { watchdogMs: number; maxLinear?: number; maxAngular?: number } | undefined = { watchdogMs: 300 };
  /** What has to end before the robot can be driven. */
  inTheWay: Promise<void> | undefined;
  waysMade = 0;
  guardLives = true;
  /** Until when (monotonic) the guard was told at each announcement that the robot may move. */
  readonly announced: Array<number | undefined> = [];
  failure: Error | undefined;
  #seq = 0;
  #stamp: string | undefined;

  constructor() {
    this.jogs = jogsOf(this.leases, this.leased.fence, {
      guard: this.#guard(),
      onFrame: (fate) => this.fates.push(fate),
      onBegin: () => this.audited.push('begin'),
      onEnd: (_source, { why }) => this.audited.push(why),
    });
    this.jogs.controls(() => this.jog && this.#linkJog(this.jog));
    this.acquire();
  }

  acquire(): void {
    this.lease = this.leases.acquire(ANNA).id;
  }

  #guard(): MotionGuard {
    const lives = () => this.guardLives;
    return {
      get isLiving() {
        return lives();
      },
      isFenced: true,
      announce: () => void this.announced.push(this.jogs.motionUntil()),
    };
  }

  get velocities(): Velocity[] {
    return this.sent.map(({ velocity }) => velocity);
  }

  /** One frame as a client sends it that echoes the last stamp; `changes` to its members. */
  frame(changes: object = {}, source = sourceOf('anna'), arrivedAt = arrivalStamp()): JogOutcome {
    this.#seq += 1;
    const stamp = this.#stamp === undefined ? {} : { stamp: this.#stamp };
    const zero = { vx: 0, vy: 0, wz: 0 };
    const outcome = this.jogs.take(
      { lease: this.lease, seq: this.#seq, ...zero, ...stamp, ...changes },
      source,
      arrivedAt,
    );
    this.#stamp = outcome.stamp;
    return outcome;
  }

  /** The error code that a frame is answered with. */
  codeOf(changes: object, source?: JogSource): string | undefined {
    return (this.frame(changes, source).error as ServiceError | undefined)?.code; // as: a jog fails with no other error
  }

  /** Pushes the stick forward from rest. */
  drive(): void {
    this.frame();
    expect(this.frame(FORWARD)).not.toHaveProperty('error');
  }

  #linkJog(promise: Omit<Jog, 'send' | 'makeWay'>): Jog {
    return {
      ...promise,
      send: (frame) => {
        if (this.failure) throw this.failure;
        if (frame.arrivedAt !== undefined) this.leased.fence.admit(frame.arrivedAt);
        this.sent.push(frame);
      },
      makeWay: () => {
        this.waysMade += 1;
        return this.inTheWay;
      },
    };
  }
}
