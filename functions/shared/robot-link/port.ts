import type { AccessLevel } from '../access.ts';
import type { Fence } from '../control/fence.ts';
import type { JointsChanged, ReportedState } from '../events/data.schema.ts';
import type { Events } from '../events/events.port.ts';
import type { JsonValue } from '../kit/json.ts';
import type { CommandSpec, StopReport } from './catalogue.schema.ts';

export type { CommandKind, CommandSpec, ItemKind, StopReport } from './catalogue.schema.ts';

/** Cancels, even if the catalogue does not mark them: refusing one would keep a mission running. */
export const CANCELS: ReadonlySet<string> = new Set([
  'cancel_skill',
  'cancel_and_wait_for_mission',
  'cancel_client_missions',
]);

/** Commands that change how the robot moves, and so count as motion unless the catalogue says otherwise. */
const CHANGE_MOTION: ReadonlySet<string> = new Set(['set_robot_max_velocity']);

/** Whether a command moves the robot or changes how it moves; undefined if neither its mark nor its name tells. */
export function motionOf({ name, motion }: Pick<CommandSpec, 'name' | 'motion'>): boolean | undefined {
  return motion ?? (CHANGE_MOTION.has(name) ? true : undefined);
}

/** On whose behalf a command runs. */
export interface Sender {
  readonly clientId: string;
  readonly accessLevel: AccessLevel;
  readonly keyId: string;
}

export interface RobotCommand {
  readonly command: string;
  /** Absent for commands of kind `none`. Coordinates are complete: metres, theta in degrees. */
  readonly value?: JsonValue;
  readonly sender: Sender;
  /**
   * When it arrived (`arrivalStamp`), for what must not begin after a stop that came later; absent: no stop holds it
   * back.
   */
  readonly arrivedAt?: number;
  /** Id of the lease under which it was sent. */
  readonly lease?: string | undefined;
}

/** The robot declined the command; `why` is a sentence. */
export class Declined {
  readonly result: JsonValue;
  readonly why: string;

  constructor(result: JsonValue, why: string) {
    this.result = result;
    this.why = why;
  }
}

/** The command was sent, but its outcome is not reported. */
export class Unanswered {
  readonly result: JsonValue;

  constructor(result: JsonValue) {
    this.result = result;
  }
}

type Outcome = JsonValue | Declined | Unanswered;

/** The answer to a drive that replaced the previous one. */
export class Replaced {
  readonly answer: Outcome;

  constructor(answer: Outcome) {
    this.answer = answer;
  }
}

/** The answer to a command, usually the robot's own, unchanged. */
export type RobotAnswer = Outcome | Replaced;

export interface SendOptions {
  /** When the answer stops being of use, in ms since the epoch. A command that has not begun by then must not begin. */
  readonly deadline: number;
  /** Aborts when the caller no longer waits. The link forgets the call at once; the robot continues. */
  readonly signal: AbortSignal;
  /** Latest start of a command that may wait for long, in ms since the epoch; absent: the deadline. */
  readonly beginBy?: number;
}

/** How the base moves, in its own frame: m/s forward, m/s to the left, rad/s counter-clockwise. */
export interface Velocity {
  readonly vx: number;
  readonly vy: number;
  readonly wz: number;
}

/** A velocity to send to the robot. */
export interface JogFrame {
  readonly velocity: Velocity;
  /** Counts up within one generation of the lease. */
  readonly seq: number;
  /** How long the robot may move at this velocity unless a newer frame arrives, in ms. */
  readonly validMs: number;
  /** When it arrived (`arrivalStamp`); absent for zero, which always passes. */
  readonly arrivedAt?: number;
}

/** Manual driving, only for robots with a watchdog that stops them if no velocity arrives. */
export interface Jog {
  /** Timeout of the watchdog in ms; at most 500. */
  readonly watchdogMs: number;
  /** The robot's own limits in m/s and rad/s, if any. */
  readonly maxLinear?: number | undefined;
  readonly maxAngular?: number | undefined;
  /**
   * Sends a velocity immediately or not at all; velocities are never queued. @throws ServiceError `robot_unavailable`;
   * except for zero, also what {@link Fence.admit} throws.
   */
  send(frame: JogFrame): void;
  /**
   * Cancels other motion and resolves when it has ended; undefined if there is nothing to wait for.
   * Rejects with `busy` after 2 s, or with the signal's reason.
   */
  makeWay(signal: AbortSignal): Promise<void> | undefined;
}

/** The emergency stop of the robot as reported by its link; `unknown` if the last report is older than 2 s. */
export interface EmergencyStop {
  readonly state: 'released' | 'engaged' | 'unknown';
  /** Where the state comes from, such as the name of a topic. */
  readonly source: string;
  /** Calls the listener whenever the state has changed. */
  onChange(listener: () => void): void;
}

/**
 * The way to one robot. Errors: `robot_unavailable` when there is no robot at the other end, at once and not after a
 * time-out; `robot_timeout`; `robot_error` for what the robot itself refuses; or the reason of the signal.
 */
export interface RobotLink {
  readonly kind: 'simulated' | 'mqtt' | 'rosbridge' | 'none';
  /** Every link asks it immediately before the bytes of a motion leave. */
  readonly fence: Fence;
  connected(): boolean;
  /** Why the robot must not be used although it is connected, as a sentence without secrets. */
  problem?(): string | undefined;
  /** Notes for the operator of a usable robot, as sentences without secrets. */
  notes?(): readonly string[];
  /** The last reported state of the robot; undefined while nothing is known. */
  state?(): ReportedState | undefined;
  /** The last reported joint positions; undefined while nothing is known. */
  joints?(): JointsChanged | undefined;
  /** The current value of a topic of the vendor's client, such as `battery_voltage`, if there is one. */
  topic?(name: string): JsonValue | undefined | Promise<JsonValue>;
  /** undefined unless the robot guarantees to stop by itself when it receives no more velocities. */
  jog?(): Jog | undefined;
  /** undefined if the robot does not report one. */
  emergencyStop?(): EmergencyStop | undefined;
  /** The commands this robot knows. */
  catalogue(): ReadonlyMap<string, CommandSpec>;
  /** Sends one command; the answer is the robot's own. Errors also: what {@link Fence.admit} throws. */
  send(command: RobotCommand, options: SendOptions): RobotAnswer | Promise<RobotAnswer>;
  /**
   * Raises the fence before it returns, stops all motion and cancels every mission; settles when the robot has
   * confirmed.
   */
  stop(options: SendOptions, sender?: Sender): StopReport | Promise<StopReport>;
  /** Recovers after the whole process was suspended; only needed by links with a connection. */
  thaw?(): Promise<void>;
  close(): void | Promise<void>;
}

/** A summary of a robot's presence. */
export interface RobotSummary {
  readonly id: string;
  readonly online: boolean;
  /** Since when, in ms since the epoch; undefined if unknown. */
  readonly since: number | undefined;
  readonly catalogueSize: number;
}

/** The robots of a fleet, over one connection. */
export interface Robots {
  /**
   * The way to one of them, as soon as it is known whether it is there; one that is not is not connected. Its missions
   * are told to the `events` with which it is first asked for; absent: to nobody.
   */
  robot(robotId: string, events?: Events): Promise<RobotLink>;
  /** Every robot whose presence can be read, at most 1000; nothing is kept or opened for those not in use. Errors: `robot_unavailable`. */
  survey(): Promise<readonly RobotSummary[]>;
  /** Whether the connection over which they are reached is up. */
  connected(): boolean;
  /** Recovers after the whole process was suspended. */
  thaw(): Promise<void>;
  close(): void | Promise<void>;
}
