import { ServiceError } from '../errors.ts';
import type { Jog } from '../robot-link/port.ts';
import { arrivalStamp } from './fence.ts';
import type { JogFrame } from './jog.schema.ts';
import type { JogEnd, JogFrameFate, JogOutcome, JogSource, JogWorld } from './jog.ts';
import { type Drive, type FrameOrigin, newDrive } from './jog-drive.ts';
import { noJog, notLetGo, oldStamp, unguarded } from './jog-errors.ts';
import { readJogFrame } from './jog-frame.ts';
import { JogOutput } from './jog-output.ts';
import { type Echo, JogStamps } from './jog-stamps.ts';
import { clampVelocity, isStill } from './jog-velocity.ts';

/** Longest watchdog timeout that a robot may have to be driven manually. */
const MAX_WATCHDOG_MS = 500;
/** If one of these refuses a held stick, the stick must be released before it moves the robot again. */
const LATCHING: readonly unknown[] = ['estop_engaged', 'driven_elsewhere'];
/** How much older than the deadline the stamp of a moving frame may be. */
const STAMP_AGE_MS = 500;

/**
 * Manual driving. The client that holds the lease sends velocities, each valid until its deadline. The robot is sent zero
 * velocity if no newer frame arrives in time, and whenever the fence rises. Nothing but zero is queued or repeated, and
 * this controller is the only user of a link's jog.
 */
export class JogController {
  readonly #world: JogWorld;
  readonly #stamps: JogStamps;
  readonly #output: JogOutput;
  #robot: () => Jog | undefined = () => undefined;
  #drive: Drive | undefined;
  /** Generation of the lease of the last frame, and the highest `seq` under it. */
  #generation: number | undefined;
  #newest = -1;
  /** When (`arrivalStamp`) the stick was last seen released under this lease. */
  #letGoAt = 0;
  /** When (`arrivalStamp`) a held stick was last refused with a code in {@link LATCHING}. */
  #latchedAt = 0;

  constructor(world: JogWorld) {
    this.#world = world;
    this.#stamps = new JogStamps(world.monotonic);
    this.#output = new JogOutput(() => this.#robot(), world.logger);
    world.fence.onRise((why) => this.#end(why));
  }

  /** Sets how to get the jog of the robot. */
  controls(robot: () => Jog | undefined): void {
    this.#robot = robot;
  }

  /**
   * Handles a frame. Never throws: refused frames are answered as well. @param arrivedAt `arrivalStamp` at its arrival.
   * Errors: `component_unavailable`, `lease_required`, `lease_held`, `lease_lost`, `validation_failed`,
   * `precondition_failed` (its stamp), `stopped`, `estop_engaged`, `busy`, `robot_unavailable`, `storage_full`.
   */
  take(input: unknown, source: JogSource, arrivedAt: number): JogOutcome {
    const { seq, lease, frame, fault } = readJogFrame(input);
    let fate: JogFrameFate = 'refused';
    let error: unknown;
    try {
      const robot = this.#promised();
      if (fault && this.#drive?.source.clientId === source.clientId) this.#output.standStill();
      if (typeof input === 'string') throw fault;
      const holding = this.#world.leases.holding(lease, source.clientId);
      this.#follow(holding.generation);
      if (frame) fate = this.#accept(frame, { source, lease: holding.id, givenAt: holding.givenAt, arrivedAt, robot });
      else this.#rest(seq);
      if (fault) throw fault;
    } catch (caught) {
      error = caught;
    }
    this.#world.onFrame?.(fate);
    return {
      seq,
      stamp: this.#stamps.issue(source.clientId),
      ...(fate === 'waiting' ? { waiting: true } : {}),
      ...(error === undefined ? {} : { error }),
    };
  }

  /** Until when (monotonic) the robot may move under this jog; undefined if there is none. */
  motionUntil(): number | undefined {
    return this.#drive?.until;
  }

  /** Ends the jog of a source whose connection was closed. */
  disconnect(source: JogSource): void {
    if (this.#drive?.source === source) this.#end('disconnected');
  }

  /**
   * Called when a command is about to move the robot, or has started to. @param replaces whether it drives the base and
   * so replaces a jog; any other motion is cancelled by the next moving frame. @returns whether it replaced a jog.
   */
  giveWay(replaces: boolean): boolean {
    const drive = this.#drive;
    if (!drive || !replaces) {
      if (drive?.way === 'clear') drive.way = 'unknown';
      return false;
    }
    this.#end('replaced');
    this.#output.cancelZeros();
    return true;
  }

  /** Ends the jog because the service is shutting down. */
  close(): void {
    this.#end('shutdown');
    this.#output.cancelZeros();
  }

  #promised(): Jog {
    const robot = this.#robot();
    if (robot && robot.watchdogMs <= MAX_WATCHDOG_MS) return robot;
    throw noJog();
  }

  #follow(generation: number): void {
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#newest = -1;
    this.#letGoAt = 0;
    this.#latchedAt = 0;
  }

  #accept(frame: JogFrame, origin: FrameOrigin): JogFrameFate {
    if (frame.seq <= this.#newest) return 'ignored';
    const { source, givenAt } = origin;
    const echo = this.#stamps.read(frame.stamp, source.clientId);
    if (!isStill(frame)) return this.#move(frame, echo, origin);
    this.#world.leases.keep(origin.lease, source.clientId);
    // A frame under a lease granted after the stop was sent after the stop, whatever stamp it echoes.
    if (Math.max(echo?.issuedAt ?? 0, givenAt) > this.#world.fence.stoppedAt) this.#letGoAt = arrivalStamp();
    this.#rest(frame.seq);
    if (this.#drive) this.#expect(this.#drive, frame.deadline_ms, source);
    return 'zero';
  }

  #move(frame: JogFrame, echo: Echo | undefined, origin: FrameOrigin): JogFrameFate {
    const maxAgeMs = STAMP_AGE_MS + frame.deadline_ms;
    if (!echo || echo.ageMs > maxAgeMs) throw oldStamp(maxAgeMs);
    this.#assertGuarded();
    const latchedAt = Math.max(this.#world.fence.stoppedAt, this.#latchedAt);
    if (latchedAt > Math.min(this.#letGoAt, echo.issuedAt)) throw notLetGo();
    try {
      return this.#send(frame, origin);
    } catch (error) {
      if (error instanceof ServiceError && LATCHING.includes(error.code)) this.#latchedAt = arrivalStamp();
      throw error;
    }
  }

  /** @throws ServiceError `component_unavailable`: nobody would end this jog if this process hung. */
  #assertGuarded(): void {
    if (this.#world.guard?.isLiving !== false) return;
    this.#end('unguarded');
    this.#latchedAt = arrivalStamp();
    throw unguarded();
  }

  #send(frame: JogFrame, { source, lease, arrivedAt, robot }: FrameOrigin): JogFrameFate {
    const { leases, fence, maxLinear, maxAngular } = this.#world;
    // When the lease ends, the jog ends with zero velocity; there is no need to stop everything.
    leases.admit({ lease, clientId: source.clientId, motion: true, outlivesLease: true });
    fence.admit(arrivedAt);
    this.#newest = frame.seq;
    const drive = this.#drive ?? newDrive(source, this.#world.monotonic());
    this.#clearWay(drive, robot);
    if (this.#drive !== drive) {
      this.#drive = drive;
      this.#world.onBegin?.(source);
    }
    this.#expect(drive, frame.deadline_ms, source);
    if (drive.way === 'awaited') return 'waiting';
    const linear = Math.min(maxLinear, robot.maxLinear ?? Number.POSITIVE_INFINITY);
    const angular = Math.min(maxAngular, robot.maxAngular ?? Number.POSITIVE_INFINITY);
    this.#output.move(robot, clampVelocity(frame, { linear, angular }), frame.deadline_ms, arrivedAt);
    drive.frames += 1;
    return 'moved';
  }

  /** Cancels other motion, once per jog. @throws the reason if that motion did not end. */
  #clearWay(drive: Drive, robot: Jog): void {
    if (drive.way === 'blocked') {
      this.#end('blocked');
      throw drive.reason;
    }
    if (drive.way !== 'unknown') return;
    const ending = robot.makeWay(drive.ended.signal);
    drive.way = ending ? 'awaited' : 'clear';
    ending?.then(
      () => {
        drive.way = 'clear';
      },
      (reason: unknown) => {
        drive.way = 'blocked';
        drive.reason = reason;
      },
    );
  }

  /** Ends the jog unless a newer frame arrives in time. */
  #expect(drive: Drive, deadlineMs: number, source: JogSource): void {
    drive.source = source;
    clearTimeout(drive.silence);
    drive.until = this.#world.monotonic() + deadlineMs;
    this.#world.guard?.announce();
    drive.silence = setTimeout(() => this.#end('silence'), deadlineMs).unref();
  }

  #end(why: JogEnd): void {
    const drive = this.#drive;
    if (!drive) return;
    this.#drive = undefined;
    clearTimeout(drive.silence);
    drive.ended.abort(new ServiceError('stopped', { detail: 'The jog has ended.' }));
    this.#output.standStill();
    this.#world.guard?.announce();
    const ms = Math.round(this.#world.monotonic() - drive.begunAt);
    this.#world.onEnd?.(drive.source, { why, frames: drive.frames, ms });
  }

  /** Handles a frame of zero velocity, or an invalid frame, which counts as one. */
  #rest(seq: number | null): void {
    this.#newest = Math.max(this.#newest, seq ?? -1);
    this.#output.standStill();
  }
}
