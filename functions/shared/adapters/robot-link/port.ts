import type { AccessLevel } from '../../access.ts';
import type { Fence } from '../../control/fence.ts';
import type { JsonValue } from '../../json.ts';

/** The kind of value a command takes; `none` takes no value. */
export const COMMAND_KINDS = ['coordinates', 'str', 'int', 'float', 'bool', 'dict', 'list', 'none'] as const;
export type CommandKind = (typeof COMMAND_KINDS)[number];

/** One row of the catalogue: what the robot can be told or asked. */
export interface CommandSpec {
  readonly name: string;
  readonly kind: CommandKind;
  readonly title: string;
  /** `query` leaves the robot as it is; `action` changes it and is audited and never prefetched. */
  readonly effect: 'query' | 'action';
  /** Inclusive bounds of an int or a float. */
  readonly bounds?: { readonly minimum: number; readonly maximum: number };
  /** Unit of an int or a float, `%` for instance. */
  readonly unit?: string;
  /** The answer comes when something has happened on the robot, which may take minutes. */
  readonly waits?: true;
  /** A list holds only strings. */
  readonly items?: 'str';
  /** Whether it moves the robot, or changes how it moves. Absent: whoever made the catalogue does not say. */
  readonly motion?: boolean;
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
  /** When it arrived (`arrivalStamp`), for what must not begin after a stop that came later; absent: no stop holds it back. */
  readonly arrivedAt?: number;
}

/** What the robot confirmed: it stands still, and so many missions were cancelled, where it says how many. */
export type StopReport = { readonly stopped: true; readonly cancelled_missions?: number };

export interface SendOptions {
  /** When the answer stops being of use, in ms since the epoch. A command that has not begun by then must not begin. */
  readonly deadline: number;
  /** Aborts when the caller no longer waits. The link forgets the call at once; what the robot does goes on. */
  readonly signal: AbortSignal;
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
  /** Why motion is refused though the robot is connected, for the log and readiness; undefined when it is not. */
  problem?(): string | undefined;
  /** The commands this robot knows. */
  catalogue(): ReadonlyMap<string, CommandSpec>;
  /** Sends one command; the answer is the robot's own. Errors also: what {@link Fence.admit} throws. */
  send(command: RobotCommand, options: SendOptions): JsonValue | Promise<JsonValue>;
  /** Raises the fence before it returns, stops all motion and cancels every mission; settles when the robot has confirmed. */
  stop(options: SendOptions, sender?: Sender): StopReport | Promise<StopReport>;
  /** Makes good what a pause of the whole process has broken; a link without a connection needs none. */
  thaw?(): Promise<void>;
  close(): void | Promise<void>;
}

/** The robots of a fleet, over one connection. */
export interface Robots {
  /** The way to one of them, as soon as it is known whether it is there; one that is not is not connected. */
  robot(robotId: string): Promise<RobotLink>;
  /** Whether the connection stands over which they are reached. */
  connected(): boolean;
  /** Makes good what a pause of the whole process has broken. */
  thaw(): Promise<void>;
  close(): void | Promise<void>;
}
